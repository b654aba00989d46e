import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ignoringGone } from '@codase/command-line';
import { readPidFile } from './pid-file.ts';
import { isAlive, type ProcessId } from '@codase/stack/processes';

/** How long a process has to end after SIGTERM, and then after SIGKILL. */
const KEEPER_TIMEOUTS = [
  ['SIGTERM', 15_000],
  ['SIGKILL', 5000],
] as const;

/** Ends what a killed start left running, and returns the names. A process that merely got one of their pids is left alone. */
export async function stopLeftovers(pids: string): Promise<string[]> {
  const files = readdirSync(pids).map((name) => ({ name, path: join(pids, name) }));
  const stopped = await Promise.all(
    files.map(async ({ name, path }) => {
      const leftover = readPidFile(path);
      const alive = leftover !== undefined && isAlive(leftover);
      if (alive) await stop(leftover);
      rmSync(path, { force: true });
      return alive ? [name] : [];
    }),
  );
  return stopped.flat();
}

async function stop(leftover: ProcessId): Promise<void> {
  for (const [signal, timeouts] of KEEPER_TIMEOUTS) {
    const deadline = performance.now() + timeouts;
    ignoringGone(() => process.kill(leftover.pid, signal));
    while (isAlive(leftover) && performance.now() < deadline) await sleep(50);
    if (!isAlive(leftover)) return;
  }
}
