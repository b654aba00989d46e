import { Refusal } from '@codase/contracts';

/** The most values of a file's JSON, which has a handful: customers write it, and every value takes memory of its own. */
const MAX_VALUES = 10_000;
const STARTS_A_VALUE = ['[', '{', ','];

/** Parses the JSON of a file. Anything but an object, or more values than a file has, is refused with `decryptor.unreadable`. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    const found: unknown = hasFewValues(text) && JSON.parse(text);
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>;
  } catch {
    // falls through: text that is not JSON is never shown
  }
  throw unreadable();
}

export const unreadable = () => new Refusal('decryptor.unreadable');

/** Whether the text has few values, by the brackets and commas outside of its strings. */
function hasFewValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length && values <= MAX_VALUES; at++) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (STARTS_A_VALUE.includes(text[at]!)) values += 1;
  }
  return values <= MAX_VALUES;
}

/** Returns where the string ends that begins here: at the next quote behind an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return text.length;
}
