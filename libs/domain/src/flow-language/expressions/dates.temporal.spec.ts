import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { parseDate } from '../../field-types/calendar-date.ts';
import type { DateUnit } from '../definition/definition.ts';
import { DATE_DIFF } from './dates.ts';

const between = (unit: DateUnit, from: string, to: string) => DATE_DIFF[unit](parseDate(from)!, parseDate(to)!) + 0;
const days = fc.integer({ min: 0, max: 3_652_058 }).map((n) => Temporal.PlainDate.from('0001-01-01').add({ days: n }));

/** The difference by Temporal, which truncates towards zero. When the dates go back, the specification rounds down. */
const reckoned = (unit: DateUnit, from: Temporal.PlainDate, to: Temporal.PlainDate): number => {
  if (unit === 'days' || unit === 'weeks') return from.until(to, { largestUnit: unit })[unit] + 0;
  if (Temporal.PlainDate.compare(from, to) <= 0) return from.until(to, { largestUnit: unit })[unit] + 0;
  const exact = unit === 'months' ? from.day === to.day : from.day === to.day && from.month === to.month;
  return -to.until(from, { largestUnit: unit })[unit] - (exact ? 0 : 1) + 0;
};

describe('datediff compared with Temporal @spec D2-2.5.2', () => {
  it.each(['days', 'weeks', 'months', 'years'] as const)('agrees in %s', (unit) => {
    fc.assert(
      fc.property(days, days, (from, to) => {
        expect(between(unit, from.toString(), to.toString())).toBe(reckoned(unit, from, to));
      }),
      { numRuns: 500, examples: [[Temporal.PlainDate.from('2024-01-31'), Temporal.PlainDate.from('2024-02-29')]] },
    );
  });
});
