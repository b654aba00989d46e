import fc from 'fast-check';
import { isPhone } from './phone.ts';

/** The same rule read character by character. */
function isPhoneByHand(text: string): boolean {
  let digits = 0;
  let seen = '';
  for (const char of text) {
    if (' -().'.includes(char)) continue;
    if (char === '+' && seen === '') seen = '+';
    else if (char >= '0' && char <= '9') [digits, seen] = [digits + 1, 'digit'];
    else return false;
  }
  return digits >= 4 && digits <= 15;
}

describe('a phone number @spec D1-2.5 @spec D1-8', () => {
  it.each(['1234', '123456789012345', '+49 (0)30-901820', '(+1) 212.555.0100', ' 0800 1234 '])('is accepted as %j', (text) => {
    expect(isPhone(text)).toBe(true);
  });

  const refused = ['123', '1234567890123456', '++491234', '49+1234', '+', '', ' - ', '12a4', '12/34', '1234\n', '١٢٣٤٥', '1\t234'];
  it.each(refused)('is rejected as %j', (text) => {
    expect(isPhone(text)).toBe(false);
  });

  it('is accepted exactly when an independent parser accepts it', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('0', '5', '9', '+', ' ', '-', '(', ')', '.'), maxLength: 24 }),
      fc.string({ unit: fc.constantFrom('1', '+', '.', 'x', '/'), maxLength: 8 }),
    );
    fc.assert(
      fc.property(text, (given) => expect(isPhone(given)).toBe(isPhoneByHand(given))),
      { numRuns: 2000 },
    );
  });
});
