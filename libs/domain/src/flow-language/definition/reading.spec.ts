import { LIMITS } from './limits.ts';
import { list, map, Notes, string, type Read } from './reading.ts';

const word = string(9);
const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`);
const tableOf = (count: number) => Object.fromEntries(words(count).map((each) => [each, each]));

/** Reads a value. Returns the result, and the messages of what is wrong with the value. */
function reading<T>(read: Read<T>, value: unknown): [T, string[]] {
  const notes = new Notes();
  const result = read(value, notes);
  return [result, notes.findings.map(({ message }) => message)];
}

describe('the limit of values read from a definition @gap D2-8', () => {
  const [everyWord, everyMember] = [list(word, Infinity), map(word, word, Infinity)];
  const tooMuch = ['The definition holds more than 20000 values: split the flow'];

  it('allows exactly the maximum number of values', () => {
    const [read, faults] = reading(everyWord, words(LIMITS.values));
    expect([read.length, read.at(-1), faults]).toEqual([20_000, 'w19999', []]);
    const [table, tableFaults] = reading(everyMember, tableOf(LIMITS.values));
    expect([Object.entries(table).at(-1), tableFaults]).toEqual([['w19999', 'w19999'], []]);
  });

  it('stops reading beyond the maximum and reports it once', () => {
    expect(reading(everyWord, words(LIMITS.values + 9))[1]).toEqual(tooMuch);
    expect(reading(everyMember, tableOf(LIMITS.values + 9))[1]).toEqual(tooMuch);
    expect(reading(list(everyMember, 2), [tableOf(LIMITS.values), { more: 'words' }])[1]).toEqual(tooMuch);
  });
});
