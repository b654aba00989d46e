import { overlapTest } from './pattern-overlap.ts';

describe('two single characters of a pattern', () => {
  it.each([
    ['a', 'a'],
    ['a', '.'],
    ['a', '[a-z]'],
    ['\\w', 'a'],
    ['\\.', '.'],
    ['[a-f]', '[f-z]'],
    ['\\d', '\\w'],
    ['[^a]', '[b]'],
    ['é', '[^a]'],
    ['é', '\\p{L}'],
    ['\\p{L}', '[a]'],
    ['\\.', '[.,]'],
    ['/', '\\/'],
    ['\\x41', 'A'],
    ['\\u{41}', '[A]'],
    ['[\\x00-\\x7f]', '[z]'],
    ['\u007f', '[\\x7f]'],
    ['[\u0000]', '\\0'],
  ])('%s and %s overlap', (one, other) => {
    expect(overlapTest()(one, other)).toBe(true);
    expect(overlapTest()(other, one)).toBe(true);
  });

  it.each([
    ['a', 'b'],
    ['é', 'è'],
    ['a', '\\d'],
    ['\\.', '[^.]'],
    ['[^\\s@]', '@'],
    ['[a-f]', '[g-z]'],
    ['\\d', '[a-z]'],
    ['\n', '.'],
    ['\\.', '\\*'],
    ['\\p{L}', '[0-9]'],
    ['😀', '\\d'],
    ['[a]', '[é]'],
    ['[^a]', '[a]'],
    ['[\\-.]', '\\P{P}'],
  ])('%s and %s do not', (one, other) => {
    expect(overlapTest()(one, other)).toBe(false);
    expect(overlapTest()(other, one)).toBe(false);
  });

  it.each([
    ['[é]', '[è]'],
    ['\\p{Lu}', '\\p{Ll}'],
    ['\\s', '\\S'],
    ['\\W', '[é]'],
    ['\\D', '[é]'],
    ['[^a]', '\\P{L}'],
    ['\\xe9', '\\xe8'],
    ['\\u00e9', '[\\u00e8]'],
    ['[\\W]', '[\\D]'],
    ['[\\S]', '[\\s]'],
    ['[\\p{L}]', '[\\P{L}]'],
    ['[\\xe8]', '[è]'],
    ['.', '[^a]'],
    ['[a\u0080]', '[b\u{10ffff}]'],
    ['[é\\[a]', '[éb]'],
  ])('%s and %s might, beyond ASCII, so they are held to', (one, other) => {
    expect(overlapTest()(one, other)).toBe(true);
    expect(overlapTest()(other, one)).toBe(true);
  });

  it('remembers what it found', () => {
    const overlap = overlapTest();
    const pairs = [
      ['[a]', '[b]'],
      ['[a]', '[ab]'],
      ['[a]', '[b]'],
      ['[a]', '[ab]'],
    ] as const;
    expect(pairs.map(([one, other]) => overlap(one, other))).toEqual([false, true, false, true]);
  });
});
