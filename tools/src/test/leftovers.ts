import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that is still there. */
interface Leftover {
  pid: number;
  command: string;
}

const GRACE_MS = 5000;

/**
 * Returns the processes of a run that outlive it. They are recognised by the run's folder, which is in their environment or arguments or is
 * their working directory. Processes that are just ending get a moment to do so.
 */
export async function leftProcesses(folder: string, graceMs = GRACE_MS): Promise<Leftover[]> {
  const deadline = performance.now() + graceMs;
  for (;;) {
    const left = existsSync('/proc/self/environ') ? bySystemFiles(folder) : byPs(folder);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(100);
  }
}

/** Returns our temporary entries that a run's tests did not remove. */
export const leftEntries = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith('codase-')) : [];

function bySystemFiles(folder: string): Leftover[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids
    .filter((pid) => pid !== process.pid && tracesOf(pid).some((trace) => trace.includes(folder)))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

const tracesOf = (pid: number) => [
  attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
  attempt(() => readlinkSync(`/proc/${pid}/cwd`)),
];

const commandOf = (pid: number) =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .split('\0')
    .join(' ')
    .trim()
    .slice(0, 120);

/** Finds the processes where there is no /proc: ps shows the environment of our own processes after their arguments. */
function byPs(folder: string): Leftover[] {
  const lines = execFileSync('ps', ['-axwwE', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 10_000,
  }).split('\n');
  return lines
    .filter((line) => line.includes(folder))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().slice(0, 120) }));
}

/** Returns an empty text on an error: processes come and go during the search, and those of other users may not be readable. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
