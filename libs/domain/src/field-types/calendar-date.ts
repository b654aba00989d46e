/** A day of the calendar, read from YYYY-MM-DD. */
export interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads a day that exists, in the years 0001 to 9999. Returns null for everything else. @spec D1-2.5 @spec D2-2.5.2 @gap D1-2.5 */
export function parseDate(value: unknown): CalendarDate | null {
  const parts = typeof value === 'string' ? SHAPE.exec(value) : null;
  if (!parts) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return year >= 1 && day >= 1 && day <= daysIn(year, month) ? { year, month, day } : null;
}

/** Whether a value is the text of a day that exists. @spec D1-2.5 */
export const isCalendarDate = (value: unknown): value is string => parseDate(value) !== null;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/** Returns the number of days of a month, zero for a month that does not exist. */
const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0));
