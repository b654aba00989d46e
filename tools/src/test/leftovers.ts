import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that is still there. */
export interface Leftover {
  pid: number;
  command: string;
}

const GRACE_MS = 5000;

/**
 * Processes of a run that outlive it. They are known by the run's own folder, which they carry in their environment, their
 * arguments or as their place; those that are just ending get a moment for it.
 */
export async function leftProcesses(folder: string, graceMs = GRACE_MS): Promise<Leftover[]> {
  const deadline = performance.now() + graceMs;
  for (;;) {
    const left = existsSync('/proc/self/environ') ? bySystemFiles(folder) : byPs(folder);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(100);
  }
}

/** Temporary entries of ours that a run's tests did not remove. */
export const leftEntries = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith('cds-')) : []);

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

/** Where there is no /proc, ps shows the environment behind the arguments of the processes that are ours. */
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

/** Processes come and go while we look, and others' may not be ours to see. */
function attempt(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
