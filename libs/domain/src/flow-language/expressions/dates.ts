import type { DateUnit } from '../definition/definition.ts';

/** A day of the calendar, read from YYYY-MM-DD. */
export interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A real date of the years 0001 to 9999; null for everything else. @spec D2-2.5.2 @gap D1-2.5 */
export function parseDate(value: unknown): CalendarDate | null {
  const parts = typeof value === 'string' ? SHAPE.exec(value) : null;
  if (!parts) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return year >= 1 && day >= 1 && day <= daysIn(year, month) ? { year, month, day } : null;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/** Zero for a month that does not exist. */
const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0));

/** Days since the end of February 0000: years that start in March put the leap day last, so a month's offset needs no table. */
function dayNumber({ year, month, day }: CalendarDate): number {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * m + 2) / 5) + day;
}

type Difference = (from: CalendarDate, to: CalendarDate) => number;

const days: Difference = (from, to) => dayNumber(to) - dayNumber(from);
const months: Difference = (from, to) => (to.year - from.year) * 12 + (to.month - from.month) - (to.day < from.day ? 1 : 0);

/**
 * Whole units from one date to another; the sign follows to minus from. Days and weeks count alike both ways; months and years round
 * down, so going back over a part of a month counts it. @spec D2-2.5.2
 */
export const DATE_DIFF: Record<DateUnit, Difference> = {
  days,
  weeks: (from, to) => Math.trunc(days(from, to) / 7) + 0, // never minus zero
  months,
  years: (from, to) => Math.floor(months(from, to) / 12),
};
