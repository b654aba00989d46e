import type { CalendarDate } from '../../field-types/calendar-date.ts';
import type { DateUnit } from '../definition/definition.ts';

/** Returns the days since the end of February 0000. With years that start in March the leap day is last, so no table is needed. */
function dayNumber({ year, month, day }: CalendarDate): number {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * m + 2) / 5) + day;
}

type Difference = (from: CalendarDate, to: CalendarDate) => number;

const days: Difference = (from, to) => dayNumber(to) - dayNumber(from);
const months: Difference = (from, to) => (to.year - from.year) * 12 + (to.month - from.month) - (to.day < from.day ? 1 : 0);

/**
 * Whole units from one date to another, with the sign of `to` minus `from`. Days and weeks count the same in both directions. Months and
 * years are rounded down, so going back over a part of a month counts as a month. @spec D2-2.5.2
 */
export const DATE_DIFF: Record<DateUnit, Difference> = {
  days,
  weeks: (from, to) => Math.trunc(days(from, to) / 7) + 0, // never minus zero
  months,
  years: (from, to) => Math.floor(months(from, to) / 12),
};
