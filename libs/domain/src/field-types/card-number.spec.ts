import fc from 'fast-check';
import { cardNumber } from './card-number.ts';

/** Luhn from the left, with the doubled digits in a table. */
function luhnByTable(digits: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += (digits.length - i) % 2 === 0 ? doubled[Number(digits[i])]! : Number(digits[i]);
  return sum % 10 === 0;
}

const digits = (minLength: number, maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

describe('a card number @spec D1-2.5 @spec D1-8', () => {
  it.each([
    ['4111 1111 1111 1111', '4111111111111111'],
    ['3782-822463-10005', '378282246310005'],
    ['5555555555554444', '5555555555554444'],
    ['000000000000', '000000000000'],
    [' 6011 0009-9013 9424 ', '6011000990139424'],
  ])('is normalised from %j to %s', (text, normalised) => {
    expect(cardNumber(text)).toBe(normalised);
  });

  it.each([
    '4111 1111 1111 1112',
    '00000000000',
    '00000000000000000000',
    '4111.1111.1111.1111',
    '4111\t111111111111',
    '',
    '-',
    'x000000000000',
    '000000000000x',
  ])('is rejected as %j', (text) => {
    expect(cardNumber(text)).toBeUndefined();
  });

  it('is accepted exactly when an independent Luhn computation accepts it', () => {
    fc.assert(
      fc.property(digits(12, 19), (text) => expect(cardNumber(text) === text).toBe(luhnByTable(text))),
      { numRuns: 2000 },
    );
  });

  it('is valid with exactly one of the ten possible last digits', () => {
    const rightOnes = (text: string) => [...'0123456789'].filter((last) => cardNumber(text + last) !== undefined);
    fc.assert(fc.property(digits(11, 18), (text) => expect(rightOnes(text)).toHaveLength(1)));
  });

  it('has 12 to 19 digits', () => {
    fc.assert(fc.property(fc.nat(30), (length) => expect(cardNumber('0'.repeat(length)) !== undefined).toBe(length >= 12 && length <= 19)));
  });
});
