import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

export interface Cores {
  /** The list in the kernel's notation: `0-3`. */
  list: string;
  count: number;
}

const coresFrom = (first: number, count: number): Cores => ({ list: `${first}-${first + count - 1}`, count });

/** Splits the cores, so that on a small machine a stage has its own, as in production, and its floor can be compared on the same. */
export function halves(count = availableParallelism()): { stage: Cores; rest: Cores } {
  if (count < 2) throw new Error('Two halves need two cores: run this bench on a larger machine.');
  const half = Math.floor(count / 2);
  return { stage: coresFrom(0, half), rest: coresFrom(half, count - half) };
}

/** Binds this process with all its threads, and every process that it starts from now on, to these cores. */
export function keepTo({ list }: Cores): void {
  taskset(['-a', '-p', '-c', list, String(process.pid)]);
}

export const onCores = (cores: Cores | undefined, command: string, args: readonly string[]): [string, string[]] =>
  cores === undefined ? [command, [...args]] : ['taskset', ['-c', cores.list, command, ...args]];

function taskset(args: readonly string[]): void {
  try {
    execFileSync('taskset', args, { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('Processes cannot be kept to cores here: this bench needs Linux with taskset (util-linux).', { cause });
  }
}
