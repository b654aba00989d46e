import { readdirSync, readFileSync } from 'node:fs';
import type { Postgres } from '@cds/testing/infra';

/** Of the kernel's clock in /proc; the same on every Linux we run on. */
const TICKS_PER_SECOND = 100;

/** Microseconds of CPU that a Postgres has used so far: its first process, those it has now, and those that have ended. */
export function postgresCpuMicroseconds({ pid }: Pick<Postgres, 'pid'>): number {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const own = all.map(statOf).filter((stat) => stat !== undefined && (stat.parent === pid || stat.pid === pid));
  const ticks = own.reduce((sum, stat) => sum + stat!.ticks + (stat!.pid === pid ? stat!.endedTicks : 0), 0);
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

/** A process that is gone by now has none; its parent counts it. */
function statOf(pid: number): { pid: number; parent: number; ticks: number; endedTicks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
    return { pid, parent: fields[1]!, ticks: fields[11]! + fields[12]!, endedTicks: fields[13]! + fields[14]! };
  } catch {
    return undefined;
  }
}
