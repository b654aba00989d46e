import { jsonOf } from './customer-table.ts';

describe('a stored customer value', () => {
  it.each([
    ['a text', 'Ana "Lind" \\ \n €😀', 'Ana "Lind" \\ \n €😀'],
    ['a text with NUL', 'An\0na', 'An\ufffdna'],
    ['half of a surrogate pair', 'a\ud83db\ude00', 'a\ufffdb\ufffd'],
    ['a text that only looks like an escape', 'C:\\u0000\\ud83d', 'C:\\u0000\\ud83d'],
    ['members of an object', { 'a\0': ['\udfff', 1, null] }, { 'a\ufffd': ['\ufffd', 1, null] }],
  ])('keeps %s as far as Postgres accepts it', (_, value, stored) => {
    expect(JSON.parse(jsonOf(value))).toEqual(stored);
  });
});
