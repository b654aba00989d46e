import { DECIMAL_DIGITS } from './digits.ts';

/** The grammar of a float, used by all code that reads numbers from text. @spec D1-2.5 */
export const FLOAT = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const INTEGER = /^-?[0-9]+$/;
/** Up to 8 integer and 2 fractional digits. @spec D1-8 */
const DECIMAL = new RegExp(`^-?[0-9]{1,${DECIMAL_DIGITS.whole}}(?:\\.[0-9]{1,${DECIMAL_DIGITS.fraction}})?$`);

const trimmedAs =
  (grammar: RegExp) =>
  (text: string): string | undefined => {
    const trimmed = text.trim();
    return grammar.test(trimmed) ? trimmed : undefined;
  };

/** Returns the trimmed text of an integer. Undefined when the text is none. @spec D1-2.5 */
export const integerText = trimmedAs(INTEGER);
/** Returns the trimmed text of a decimal. Undefined when the text is none. @spec D1-2.5 */
export const decimalText = trimmedAs(DECIMAL);
/** Returns the trimmed text of a float. Undefined when the text is none. @spec D1-2.5 */
export const floatText = trimmedAs(FLOAT);

/** Returns the trimmed text of a finite number. Undefined when the text is none. @spec D1-2.5 @gap D1-2.5 */
export function numberText(text: string): string | undefined {
  const trimmed = floatText(text);
  return Number.isFinite(Number(trimmed)) ? trimmed : undefined;
}
