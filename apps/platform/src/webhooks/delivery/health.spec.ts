import { isAlertDue, nextProbe } from './health.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

describe('the health of an endpoint @spec D1-3.2', () => {
  it('is asked for again after ten minutes @spec D1-8', () => {
    expect(nextProbe(NOW)).toEqual(new Date('2026-03-10T12:10:00Z'));
  });
});

describe('a backlog that grows old @spec D1-6.3', () => {
  it.each<[string, number, number | null, boolean]>([
    ['is not told of before two days', 47, null, false],
    ['is told of at two days', 48, null, true],
    ['is not told of again within the day', 60, 12, false],
    ['is told of again after a day', 72, 24, true],
    ['is told of hourly from five days on', 120, 1, true],
    ['is not told of more often than that', 121, 0.5, false],
    ['is another one after the last was gone', 48, 60, true],
  ])('%s', (_, oldest, alerted, due) => {
    expect(isAlertDue({ oldest_at: ago(oldest), alerted_at: alerted === null ? null : ago(alerted) }, NOW)).toBe(due);
  });
});
