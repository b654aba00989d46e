import { setImmediate as moment } from 'node:timers/promises';

/** Memory of a process without its garbage, in MB. */
export interface HeldMemory {
  /** What is reachable: objects of V8, and what they hold outside of its heap. */
  held: number;
  /** What the process has of the machine, its code and everything that is native included. */
  resident: number;
}

/** The message that requests it. */
export const MEMORY_REQUEST = 'held memory';
const MEGABYTE = 1024 * 1024;

/** Twice, as what the first collection lets go of outside of the heap is released after it. */
async function heldMemory(): Promise<HeldMemory> {
  for (let nth = 0; nth < 2; nth++) {
    globalThis.gc!();
    await moment();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: (heapUsed + external) / MEGABYTE, resident: rss / MEGABYTE };
}

// Loaded into a server before its own code, by `--import`.
if (process.send && globalThis.gc) {
  process.on('message', (message) => void (message === MEMORY_REQUEST && heldMemory().then((held) => process.send!(held))));
  process.channel?.unref(); // it keeps no server from ending
}
