/** Replaces characters in a text from a stranger's file that are invisible, or that change the order of the characters around them. */
const readableText = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

/** Applies `readableText` to every text in a structure. */
export function readable<T>(value: T): T {
  if (typeof value === 'string') return readableText(value) as T;
  if (Array.isArray(value)) return value.map(readable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readable(member)])) as T;
}
