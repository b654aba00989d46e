import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

interface Spent {
  pid: number;
  parent: number;
  ticks: number;
  endedTicks: number;
}

export const cpuMicroseconds = (pid: number): number => microseconds(spentBy(pid)?.ticks ?? 0);

/** Does the same as `cpuMicroseconds` with nanosecond precision, for the threads that the process has now. */
export function threadsCpuMicroseconds(pid: number): number {
  const ran = (thread: string) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ran(thread), 0) / 1000;
}

/** Returns the microseconds of CPU that a server and its children have used so far, both the present and the ended ones. */
export function processTreeCpuMicroseconds(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const own = all.map(spentBy).filter((spent) => spent !== undefined && (spent.parent === pid || spent.pid === pid));
  return microseconds(own.reduce((sum, spent) => sum + spent!.ticks + (spent!.pid === pid ? spent!.endedTicks : 0), 0));
}

/** Returns undefined for a process that has ended, because its parent counts it. */
function spentBy(pid: number): Spent | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
    return { pid, parent: fields[1]!, ticks: fields[11]! + fields[12]!, endedTicks: fields[13]! + fields[14]! };
  } catch {
    return undefined;
  }
}

const microseconds = (ticks: number): number => (ticks / TICKS_PER_SECOND) * 1e6;
