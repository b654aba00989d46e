import fc from 'fast-check';
import { roundToCents } from './rounding.ts';

/** The same by rational arithmetic on the shortest text of the number: half up on the magnitude. */
function reckoned(value: number): number {
  const [, sign, whole, decimals = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))!;
  const scale = decimals.length - Number(exponent);
  const digits = BigInt(`${whole}${decimals}`) * 10n ** BigInt(Math.max(0, -scale));
  const unit = 10n ** BigInt(Math.max(0, scale));
  const cents = (digits * 200n + unit) / (unit * 2n);
  return Number(`${sign}${cents}e-2`) + 0;
}

describe('rounding to two decimals @spec D2-7', () => {
  it.each([
    [1.005, 1.01],
    [-1.005, -1.01],
    [1.004, 1],
    [2.675, 2.68],
    [0.125, 0.13],
    [-0.125, -0.13],
    [0.005, 0.01],
    [0.0049, 0],
    [-0.004, 0],
    [12, 12],
    [12.3, 12.3],
    [12.34, 12.34],
    [9.995, 10],
    [99.999, 100],
    [1e21, 1e21],
    [1.5e-7, 0],
    [-1.5e-7, 0],
    [0, 0],
    [123456789012345.67, 123456789012345.67],
    [Number('100000000000.12499'), 100000000000.12],
    [0.1 + 0.2, 0.3],
    [5e-324, 0],
    [Number.MAX_VALUE, Number.MAX_VALUE],
  ])('turns %d into %d', (value, rounded) => {
    expect(roundToCents(value)).toBe(rounded);
  });

  it('agrees with exact rational arithmetic', () => {
    const finite = { noNaN: true, noDefaultInfinity: true };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double(finite),
          fc.float(finite),
          fc.integer().map((n) => n / 1000),
        ),
        (value) => {
          expect(roundToCents(value)).toBe(reckoned(value));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is symmetric and idempotent and changes a number by at most half a cent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 10_000),
        (value) => {
          const rounded = roundToCents(value);
          expect(roundToCents(-value)).toBe(-rounded + 0);
          expect(roundToCents(rounded)).toBe(rounded);
          expect(Math.abs(rounded - value)).toBeLessThanOrEqual(0.005 + 1e-9);
        },
      ),
    );
  });
});
