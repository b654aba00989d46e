import { FLOAT } from '../../field-types/numbers.ts';

/** Values by key. Only own members count, so no key reaches a prototype. */
export type Table = Readonly<Record<string, unknown>>;

/** A mark for the compiler alone: `Answers` and `Values` are both tables, and must not be used in place of each other. */
declare const stage: unique symbol;

/**
 * The answers of parties, by slug: in the form in which they are sent (JSON text for types that use it) or as objects. They have no dotted
 * plugin keys and no constants yet. Any record can be used as `Answers`, except `Values`. @spec D2-2.2
 */
export type Answers = Table & { readonly [stage]?: 'answers' };

/**
 * What conditions, expressions, text and rules read: the parsed answers with dotted plugin keys and constants. Only `flow.values`,
 * `stepValues` and `computeConstants` create them. @spec D2-2.5.1 @spec D2-2.5.4
 */
export type Values = Table & { readonly [stage]: 'values' };

/** Returns the value of a key. Null when there is none. @spec D2-2.5 */
export const ownValue = (values: Table, key: string): unknown => (Object.hasOwn(values, key) ? (values[key] ?? null) : null);

/** Reads a number, or a text with a number. Null for anything else, NaN for a number that is not finite. @spec D2-2.5.3 @gap D2-2.5.3 */
export function numeric(value: unknown): number | null {
  const number = typeof value === 'string' && FLOAT.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number') return null;
  return Number.isFinite(number) ? number : NaN;
}

/** Returns a finite number, and null for everything else. Minus zero becomes zero. */
export function finite(value: number | null): number | null {
  return Number.isFinite(value) ? value! + 0 : null;
}

/**
 * Returns the text of a value: a number as ECMAScript prints it, a list or an object as its parts joined with commas. Null for null and for
 * a reference to a file. @spec D2-2.5 @gap D2-2.5
 */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return scalarText(value);
  if (Object.hasOwn(value, '_enc_file')) return null;
  return Object.values(value)
    .map((part) => scalarText(part) ?? '')
    .join(',');
}

function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Compares text by code points. `<` would compare UTF-16 units, and put U+1F600 before U+FF5E. @gap D2-2.5 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode the code points above U+FFFF, after all other units. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
