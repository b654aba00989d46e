import { setImmediate as moment } from 'node:timers/promises';

export interface UsedMemory {
  /** The reachable memory: V8 objects, and the memory outside of the heap that they hold. */
  used: number;
  /** The resident memory of the process, its code and native memory included. */
  resident: number;
}

export const MEMORY_REQUEST = 'memory in use';
const MEGABYTE = 1024 * 1024;

/** Collects garbage twice, because memory outside of the heap is released only after the first collection. */
async function usedMemory(): Promise<UsedMemory> {
  for (let nth = 0; nth < 2; nth++) {
    globalThis.gc!();
    await moment();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: (heapUsed + external) / MEGABYTE, resident: rss / MEGABYTE };
}

// This module is loaded into a server before its own code, by `--import`.
if (process.send && globalThis.gc) {
  process.on('message', (message) => void (message === MEMORY_REQUEST && usedMemory().then((used) => process.send!(used))));
  process.channel?.unref(); // the channel does not keep the server alive
}
