import { FLOAT } from '../../field-types/numbers.ts';

/** Anything by key. Only own members count, so no key reaches a prototype. */
export type Table = Readonly<Record<string, unknown>>;

/** Exists for the compiler alone: answers and values are both tables, and neither may stand where the other is expected. */
declare const stage: unique symbol;

/**
 * What parties answered, by slug: as it travels (JSON text where the type has it) or as objects; dotted plugin keys and constants are
 * not there yet. Any record is one, but `Values` are not. @spec D2-2.2
 */
export type Answers = Table & { readonly [stage]?: 'answers' };

/**
 * What conditions, expressions, text and rules see: the answers, read, with dotted plugin keys and constants. Only `flow.values`,
 * `stepValues` and `computeConstants` make them. @spec D2-2.5.1 @spec D2-2.5.4
 */
export type Values = Table & { readonly [stage]: 'values' };

/** The value held under a key; null when there is none. @spec D2-2.5 */
export const held = (values: Table, key: string): unknown => (Object.hasOwn(values, key) ? (values[key] ?? null) : null);

/** A number, or text that spells one: null when it is neither, NaN when it is beyond all finite numbers. @spec D2-2.5.3 @gap D2-2.5.3 */
export function numeric(value: unknown): number | null {
  const number = typeof value === 'string' && FLOAT.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number') return null;
  return Number.isFinite(number) ? number : NaN;
}

/** A finite number; null for everything else. Minus zero is zero. */
export function finite(value: number | null): number | null {
  return Number.isFinite(value) ? value! + 0 : null;
}

/**
 * The text of a value: numbers as ECMAScript prints them, a list or an object by its parts joined with commas, null for null and for
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

/** Orders text by code points; `<` would go by UTF-16 units and put U+1F600 before U+FF5E. @gap D2-2.5 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates, which stand for the code points above U+FFFF, behind all other units. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
