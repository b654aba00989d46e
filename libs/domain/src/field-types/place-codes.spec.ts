import { iso31661Reserved, iso31662 } from 'iso-3166';
import { isCountry, isUsState } from './place-codes.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

describe('a country code @spec D1-2.5', () => {
  it.each(['DE', 'US', 'GB', 'TW', 'SS', 'AX'])('takes %s', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  it.each(['XK', 'EU', 'UK', 'AN', 'SU', 'AA', 'ZZ', 'de', 'De', 'DEU', 'D', '', ' DE', 'toString', '__proto__'])('refuses %j', (code) => {
    expect(isCountry(code)).toBe(false);
  });

  it('knows the 249 that are assigned, each of which has a name in the world', () => {
    const codes = PAIRS.filter(isCountry);
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

    expect(codes).toHaveLength(249);
    expect(codes.filter((code) => names.of(code) === undefined)).toEqual([]);
  });

  it('takes none that is only reserved @gap D1-2.5', () => {
    expect(iso31661Reserved.map(({ alpha2 }) => alpha2).filter(isCountry)).toEqual([]);
  });
});

describe('a state code @spec D1-2.5', () => {
  it.each(['NY', 'DC', 'PR', 'AA', 'AE', 'AP'])('takes %s', (code) => {
    expect(isUsState(code)).toBe(true);
  });

  it.each(['ny', 'XX', 'UM', 'FM', 'MH', 'PW', 'ON', 'N', '', 'NYC', 'DC AS', ' '])('refuses %j', (code) => {
    expect(isUsState(code)).toBe(false);
  });

  it('takes the subdivisions ISO knows, without the uninhabited islands, and the armed forces @gap D1-2.5', () => {
    const subdivisions = iso31662.filter(({ parent }) => parent === 'US').map(({ code }) => code.slice('US-'.length));
    const expected = [...subdivisions.filter((code) => code !== 'UM'), 'AA', 'AE', 'AP'];

    expect(PAIRS.filter(isUsState)).toEqual(expected.sort());
  });
});
