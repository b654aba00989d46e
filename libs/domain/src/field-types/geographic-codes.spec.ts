import { iso31661Reserved, iso31662 } from 'iso-3166';
import { isCountry, isUsState } from './geographic-codes.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

describe('a country code @spec D1-2.5', () => {
  it.each(['DE', 'US', 'GB', 'TW', 'SS', 'AX'])('is accepted as %s', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  it.each(['XK', 'EU', 'UK', 'AN', 'SU', 'AA', 'ZZ', 'de', 'De', 'DEU', 'D', '', ' DE', 'toString', '__proto__'])(
    'is rejected as %j',
    (code) => {
      expect(isCountry(code)).toBe(false);
    },
  );

  it('is one of the 249 assigned ISO 3166-1 codes, each with a display name', () => {
    const codes = PAIRS.filter(isCountry);
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

    expect(codes).toHaveLength(249);
    expect(codes.filter((code) => names.of(code) === undefined)).toEqual([]);
  });

  it('is rejected when ISO 3166-1 only reserves it @gap D1-2.5', () => {
    expect(iso31661Reserved.map(({ alpha2 }) => alpha2).filter(isCountry)).toEqual([]);
  });
});

describe('a US state code @spec D1-2.5', () => {
  it.each(['NY', 'DC', 'PR', 'AA', 'AE', 'AP'])('is accepted as %s', (code) => {
    expect(isUsState(code)).toBe(true);
  });

  it.each(['ny', 'XX', 'UM', 'FM', 'MH', 'PW', 'ON', 'N', '', 'NYC', 'DC AS', ' '])('is rejected as %j', (code) => {
    expect(isUsState(code)).toBe(false);
  });

  it('is an ISO 3166-2 subdivision except UM, or a code of the armed forces @gap D1-2.5', () => {
    const subdivisions = iso31662.filter(({ parent }) => parent === 'US').map(({ code }) => code.slice('US-'.length));
    const expected = [...subdivisions.filter((code) => code !== 'UM'), 'AA', 'AE', 'AP'];

    expect(PAIRS.filter(isUsState)).toEqual(expected.sort());
  });
});
