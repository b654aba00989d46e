/** What a stranger's file says, without characters that are not seen, or that turn the order of those around them. */
export const readableText = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

/** The same for every text in a structure. */
export function readable<T>(value: T): T {
  if (typeof value === 'string') return readableText(value) as T;
  if (Array.isArray(value)) return value.map(readable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readable(member)])) as T;
}
