import { createRequire } from 'node:module';

type Expect = typeof expect;
const require = createRequire(import.meta.url);
const { quickExpect } = require('../jest/build/expect.cjs') as { quickExpect(own: Expect): Expect };
const { jestExpect } = createRequire(require.resolve('jest-circus/runner'))('@jest/expect') as { jestExpect: Expect };

const VALUES: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 1],
  ['no number', NaN],
  ['zero', 0],
  ['the other zero', -0],
  ['a text', 'a'],
  ['a list', [1, undefined]],
  ['a sparse list', Array.from({ length: 2, 0: 1 })],
  ['an object', { a: 1 }],
  ['one with an empty member', { a: 1, b: undefined }],
  ['a map', new Map([['a', { b: 1 }]])],
  ['another map', new Map([['a', { b: 2 }]])],
  ['a set', new Set([1, 2])],
  ['bytes', Buffer.from('ab')],
  ['an error', new Error('a')],
  ['a date', new Date(0)],
  ['any number', expect.any(Number)],
  ['an object with more', expect.objectContaining({ a: 1 })],
];

const saysOf = (asserts: () => void): string => {
  try {
    asserts();
    return 'it holds';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the fast expect of specs', () => {
  const quick = quickExpect(jestExpect);

  it.each(VALUES)('gives the same result and message as Jest for %s', (_, actual) => {
    for (const [, expected] of VALUES)
      for (const matcher of ['toBe', 'toEqual', 'toStrictEqual'] as const)
        expect(saysOf(() => quick(actual)[matcher](expected))).toBe(saysOf(() => jestExpect(actual)[matcher](expected)));
  });

  it('has every matcher that Jest has', () => {
    const names = Object.keys(jestExpect(1));
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) expect(name in quick(1)).toBe(true);
    expect(saysOf(() => quick(1).not.toBe(1))).toBe(saysOf(() => jestExpect(1).not.toBe(1)));
  });

  it('counts its assertions', () => {
    const before = jestExpect.getState().assertionCalls;
    quick(1).toBe(1);
    quick([1]).toEqual([1]);
    quick([1]).toHaveLength(1);
    const after = jestExpect.getState().assertionCalls;
    expect(after - before).toBe(3);
  });
});
