const LAST_QUAD = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/**
 * Whether a text is standard base64: padded, no white space, no stray bits. Searches for characters that do not belong, since a document
 * may be long. @gap D1-2.3
 */
export const isBase64 = (text: unknown): text is string =>
  typeof text === 'string' && text.length % 4 === 0 && LAST_QUAD.test(text.slice(-4)) && !/[^A-Za-z0-9+/]/.test(text.slice(0, -4));

/** Returns how many bytes a base64 text stands for, without decoding it; undefined when the text is not base64. */
export function base64Bytes(text: unknown): number | undefined {
  if (!isBase64(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** Returns the bytes of a base64 text. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
