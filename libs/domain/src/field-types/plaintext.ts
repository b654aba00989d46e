import type { FieldTypes } from './field-types.ts';
import { kindOf, type Kind } from './kind.ts';
import type { Verdict } from './reasons.ts';
import { validateValue } from './validate-value.ts';

const JSON_KINDS: readonly string[] = ['multichoice', 'composite', 'binary'] satisfies Kind[];

/**
 * Reads a plaintext as its value: a string, or parsed JSON for the kinds that use JSON. Text that does not parse stays text. A value that
 * is no text was read before. All code reads answers and shared values with this function. @spec D1-2.3
 */
export function readByKind(kind: string, plaintext: unknown): unknown {
  if (typeof plaintext !== 'string' || !JSON_KINDS.includes(kind)) return plaintext;
  try {
    return JSON.parse(plaintext);
  } catch {
    return plaintext;
  }
}

/** Reads a decrypted plaintext as its value, by its type. @spec D1-2.3 */
export const readPlaintext = (types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): unknown =>
  readByKind(kindOf(types.resolve(type)), plaintext);

/** Writes a value as its plaintext. @spec D1-2.3 */
export const writePlaintext = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Validates a decrypted plaintext by its type. @spec D1-2.5 */
export const validatePlaintext = (types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): Verdict =>
  validateValue(types, type, readPlaintext(types, type, plaintext));
