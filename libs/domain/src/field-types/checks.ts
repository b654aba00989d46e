import { cardNumber } from './card-number.ts';
import type { JsonObject } from './json-values.ts';
import { decimalText, floatText, integerText, numberText } from './numbers.ts';
import { containsPdf } from './pdf.ts';
import type { ReasonCode } from './reasons.ts';
import type { Check, Input } from './row.ts';
import { webAddress } from './web-address.ts';

/** One named check: the primitives it may be used with, its reason for a refusal, and a function that returns the normalised value. */
interface CheckRule {
  readonly inputs: readonly Input[];
  readonly code: ReasonCode;
  readonly normalise: (value: unknown) => unknown;
}

const TEXT_INPUTS: readonly Input[] = ['line', 'date', 'list', 'country', 'nationality', 'state', 'phone'];

/** Makes a check of text. The registry allows it on the primitives of `TEXT_INPUTS` only, so the value is always a string. */
const text = (code: ReasonCode, normalise: (text: string) => string | undefined): CheckRule => ({
  inputs: TEXT_INPUTS,
  code,
  normalise: (value) => normalise(value as string),
});

/** The rule of each check: what it requires of a value, and how it normalises it. @spec D1-2.5 */
export const CHECK_RULES: Readonly<Record<Check, CheckRule>> = {
  url: text('not_a_url', webAddress),
  card: text('not_a_card', cardNumber),
  number: text('not_a_number', numberText),
  integer: text('not_an_integer', integerText),
  decimal: text('not_a_decimal', decimalText),
  float: text('not_a_float', floatText),
  pdf: {
    inputs: ['file'],
    code: 'not_a_pdf',
    normalise: (envelope) => (containsPdf(envelope as JsonObject) ? envelope : undefined),
  },
};
