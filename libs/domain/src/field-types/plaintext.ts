import type { FieldTypes } from './field-types.ts';
import type { Input } from './row.ts';
import type { Verdict } from './reasons.ts';
import { validateValue } from './validate-value.ts';

const JSON_INPUTS: readonly (Input | undefined)[] = ['multilist', 'composite', 'file', 'pages'];

/** The value a decrypted plaintext stands for: a string, or JSON where the type has it. What does not parse stays text. @spec D1-2.3 */
export function readPlaintext(types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): unknown {
  if (!JSON_INPUTS.includes(types.resolve(type)?.input)) return plaintext;
  try {
    return JSON.parse(plaintext);
  } catch {
    return plaintext;
  }
}

/** The plaintext that stands for a value. @spec D1-2.3 */
export const writePlaintext = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Judges a decrypted plaintext by its type. @spec D1-2.5 */
export const validatePlaintext = (types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): Verdict =>
  validateValue(types, type, readPlaintext(types, type, plaintext));
