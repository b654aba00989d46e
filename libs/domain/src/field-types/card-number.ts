import { CARD_DIGITS } from './digits.ts';

const CARD = new RegExp(`^[0-9]{${CARD_DIGITS.least},${CARD_DIGITS.most}}$`);

/** Returns the digits of a card number, without blanks and hyphens. Undefined when the text is no card number. @spec D1-2.5 @spec D1-8 */
export function cardNumber(text: string): string | undefined {
  const digits = text.replace(/[ -]/g, '');
  return CARD.test(digits) && passesLuhn(digits) ? digits : undefined;
}

/** Luhn's check: from the right, every second digit counts double, and the digits of each result are added. The sum must end in 0. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const weighed = Number(digit) * (1 + (index % 2));
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return sum % 10 === 0;
}
