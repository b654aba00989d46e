import fc from 'fast-check';
import { compareText, finite, ownValue, numeric, textOf } from './values.ts';

describe('reading a stored value', () => {
  it('uses only own keys and returns null for a missing one', () => {
    const values = JSON.parse('{"rent": 5, "__proto__": "own", "gone": null}') as Record<string, unknown>;

    expect(ownValue(values, 'rent')).toBe(5);
    expect(ownValue(values, '__proto__')).toBe('own');
    expect(ownValue({}, '__proto__')).toBeNull();
    expect(ownValue(values, 'constructor')).toBeNull();
    expect(ownValue(values, 'toString')).toBeNull();
    expect(ownValue(values, 'gone')).toBeNull();
    expect(ownValue({ none: undefined }, 'none')).toBeNull();
  });
});

describe('reading a value as a number @spec D2-2.5.3', () => {
  it.each([
    [5, 5],
    [-0.5, -0.5],
    ['5', 5],
    ['-5.25', -5.25],
    [' 7\n', 7],
    ['1e3', 1000],
    ['2.5E-1', 0.25],
    ['007', 7],
  ])('reads %j as %d', (value, number) => {
    expect(numeric(value)).toBe(number);
  });

  it.each(['', ' ', '+5', '.5', '5.', '0x10', '1_000', '1,5', 'five', '٣', '1 2', true, false, null, undefined, [5], { v: 5 }])(
    'returns null for %j',
    (value) => {
      expect(numeric(value)).toBeNull();
    },
  );

  it.each(['1e999', '-1e999', Infinity, -Infinity, NaN])('treats %s as not finite and returns null for it', (value) => {
    expect(numeric(value)).toBeNaN();
    expect(finite(numeric(value))).toBeNull();
  });

  it('turns minus zero into zero and keeps null', () => {
    expect(finite(-0)).toBe(0);
    expect(finite(null)).toBeNull();
  });
});

describe('the text of a value @spec D2-2.5', () => {
  it.each([
    ['Graz', 'Graz'],
    ['', ''],
    [1.5, '1.5'],
    [1e21, '1e+21'],
    [-0, '0'],
    [true, 'true'],
    [false, 'false'],
    [['cat', 'dog'], 'cat,dog'],
    [[1, null, ['x']], '1,,'],
    [{ street: 'Ring 1', city: 'Graz' }, 'Ring 1,Graz'],
    [[], ''],
  ])('of %j is %j', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it.each([null, undefined, { _enc_file: 'f1' }, { _enc_file: 'f1', _link: 1 }])('is null for %j', (value) => {
    expect(textOf(value)).toBeNull();
  });
});

describe('the order of text @gap D2-2.5', () => {
  it('compares code points, not UTF-16 units', () => {
    expect(compareText('\u{1F600}', '\uFF5E')).toBeGreaterThan(0);
    expect(['\u{1F600}', '\uFF5E'].sort()).toEqual(['\u{1F600}', '\uFF5E']); // JavaScript's own order differs
    expect(compareText('\uD7FF', '\uE000')).toBeLessThan(0);
    expect(compareText('\uE000', '\u{10000}')).toBeLessThan(0);
  });

  it('puts a prefix before the longer text', () => {
    expect(compareText('an', 'and')).toBeLessThan(0);
    expect(compareText('and', 'an')).toBeGreaterThan(0);
    expect(compareText('', '')).toBe(0);
  });

  it('agrees with a comparison of code points one by one', () => {
    const points = (text: string) => Array.from(text, (char) => char.codePointAt(0)!);
    const slow = (a: number[], b: number[]): number => {
      const at = a.findIndex((point, i) => point !== b[i]);
      if (at < 0) return Math.sign(a.length - b.length);
      return at >= b.length ? 1 : Math.sign(a[at]! - b[at]!);
    };
    const char = fc.constantFrom('a', 'b', '\uD7FF', '\uE000', '\uFF5E', '\u{10000}', '\u{10FFFF}', '\u{1F600}');
    const text = fc.array(char, { maxLength: 4 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(slow(points(a), points(b)));
      }),
    );
  });
});
