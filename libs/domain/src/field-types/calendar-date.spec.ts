import { isCalendarDate, parseDate } from './calendar-date.ts';

const written = (year: number, month: number, day: number) =>
  `${`${year}`.padStart(4, '0')}-${`${month}`.padStart(2, '0')}-${`${day}`.padStart(2, '0')}`;

/** The Gregorian rule by hand, to compare with. */
function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

describe('a calendar date @spec D1-2.5 @spec D2-2.5.2', () => {
  it.each(['0001-01-01', '2024-02-29', '2000-02-29', '2023-04-30', '9999-12-31'])(
    'is accepted as %s and parsed into year, month and day',
    (text) => {
      expect(isCalendarDate(text)).toBe(true);
      expect(parseDate(text)).toEqual({ year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8)) });
    },
  );

  it.each([
    '0000-01-01',
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '2024-01-32',
    '2024-1-1',
    '24-01-01',
    '12024-01-01',
    '+002024-01-01',
    '2024-01-01 ',
    ' 2024-01-01',
    '2024-01-01\n',
    '2024-01-01T00:00:00Z',
    '2024/01/01',
    '01.01.2024',
    '20240101',
    '２０２４-01-01',
    '٢٠٢٤-٠١-٠١',
    'today',
    '',
    5,
    null,
    undefined,
    true,
    ['2024-01-01'],
  ])('is rejected as %j', (value) => {
    expect(isCalendarDate(value)).toBe(false);
    expect(parseDate(value)).toBeNull();
  });

  it('is accepted exactly when the Gregorian calendar has it, in a cycle of 400 years', () => {
    const wrong: string[] = [];
    for (let year = 1801; year <= 2200; year++) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          if (isCalendarDate(written(year, month, day)) !== (day >= 1 && day <= daysIn(year, month))) wrong.push(written(year, month, day));
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('may be 29 February only in leap years, from year 1 to 9999', () => {
    const years = Array.from({ length: 9999 }, (_, i) => i + 1);
    expect(years.filter((year) => isCalendarDate(written(year, 2, 29)))).toEqual(years.filter((year) => daysIn(year, 2) === 29));
  });
});
