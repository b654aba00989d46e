import type { FieldTypes } from './field-types.ts';
import { kindOf, type Kind } from './kind.ts';
import type { Verdict } from './reasons.ts';
import { validateValue } from './validate-value.ts';

const JSON_KINDS: readonly string[] = ['multichoice', 'composite', 'binary'] satisfies Kind[];

/**
 * The value that a plaintext stands for: a string, or JSON where the kind has it. What does not parse stays text, and what is no text was
 * read before. Everybody reads answers and shared values by this one function. @spec D1-2.3
 */
export function readByKind(kind: string, plaintext: unknown): unknown {
  if (typeof plaintext !== 'string' || !JSON_KINDS.includes(kind)) return plaintext;
  try {
    return JSON.parse(plaintext);
  } catch {
    return plaintext;
  }
}

/** The value a decrypted plaintext stands for, by its type. @spec D1-2.3 */
export const readPlaintext = (types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): unknown =>
  readByKind(kindOf(types.resolve(type)), plaintext);

/** The plaintext that stands for a value. @spec D1-2.3 */
export const writePlaintext = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Judges a decrypted plaintext by its type. @spec D1-2.5 */
export const validatePlaintext = (types: Pick<FieldTypes, 'resolve'>, type: string, plaintext: string): Verdict =>
  validateValue(types, type, readPlaintext(types, type, plaintext));
