import fc from 'fast-check';
import { parseDate } from '../../field-types/calendar-date.ts';
import { DATE_DIFF } from './dates.ts';

const between = (unit: keyof typeof DATE_DIFF, from: string, to: string) => DATE_DIFF[unit](parseDate(from)!, parseDate(to)!);
const iso = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('datediff @spec D2-2.5.2', () => {
  it.each([
    ['days', '2024-02-28', '2024-03-01', 2],
    ['days', '2023-02-28', '2023-03-01', 1],
    ['days', '2024-03-01', '2024-02-28', -2],
    ['weeks', '2024-01-01', '2024-01-14', 1],
    ['weeks', '2024-01-01', '2024-01-15', 2],
    ['weeks', '2024-01-14', '2024-01-01', -1],
    ['weeks', '2024-01-03', '2024-01-01', 0],
    ['months', '2024-01-31', '2024-02-29', 0],
    ['months', '2024-01-29', '2024-02-29', 1],
    ['months', '2023-11-15', '2024-02-15', 3],
    ['months', '2024-02-15', '2023-11-15', -3],
    ['months', '2024-03-15', '2024-01-14', -3],
    ['months', '2024-03-15', '2024-01-16', -2],
    ['years', '2000-02-29', '2024-02-28', 23],
    ['years', '2000-02-29', '2024-02-29', 24],
    ['years', '2000-06-15', '2024-06-15', 24],
    ['years', '2000-06-15', '2024-05-30', 23],
    ['years', '2024-01-01', '2023-12-31', -1],
    ['years', '2024-01-01', '2023-01-01', -1],
    ['years', '2024-01-01', '2022-12-31', -2],
  ] as const)('in %s from %s to %s is %d', (unit, from, to, difference) => {
    expect(between(unit, from, to)).toBe(difference);
  });

  it('in days equals the difference of the timestamps', () => {
    fc.assert(
      fc.property(iso, iso, (from, to) => {
        expect(between('days', from, to)).toBe((Date.parse(to) - Date.parse(from)) / 86_400_000);
      }),
    );
  });

  it('never has the opposite sign of the difference in days', () => {
    fc.assert(
      fc.property(iso, iso, (from, to) => {
        const sign = Math.sign(between('days', from, to));
        for (const unit of ['weeks', 'months', 'years'] as const) expect([0, sign]).toContain(Math.sign(between(unit, from, to)) + 0);
        expect(between('days', from, to) + between('days', to, from)).toBe(0);
        expect(between('weeks', from, to) + between('weeks', to, from)).toBe(0);
      }),
    );
  });

  it('in months or years only changes its sign when reversed, exactly if no remainder is left', () => {
    fc.assert(
      fc.property(iso, iso, (from, to) => {
        const sameDay = from.slice(8) === to.slice(8);
        const sameDayAndMonth = from.slice(5) === to.slice(5);
        expect(between('months', from, to) + between('months', to, from) + 0).toBe(sameDay ? 0 : -1);
        expect(between('years', from, to) + between('years', to, from) + 0).toBe(sameDayAndMonth ? 0 : -1);
      }),
    );
  });
});
