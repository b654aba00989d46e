import { UsageFault } from '@codase/command-line';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a moment that is given as a date and time, or as how long ago it was: 90s, 10m, 2h, 7d. */
export function readTime(name: string, text: string, now: Date): Date {
  const moment = ago(text, now) ?? Date.parse(/^\d{4}-\d\d-\d\dT/.test(text) ? text : '');
  if (!Number.isNaN(moment)) return new Date(moment);
  throw new UsageFault(`${name} is '${text}': give a time such as 2026-01-31T12:00:00Z, or how long ago, such as 10m or 2h.`);
}

function ago(text: string, now: Date): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : now.getTime() - Number(count) * UNITS[unit as keyof typeof UNITS];
}
