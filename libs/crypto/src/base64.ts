import { nodeDecodeBase64, nodeDecodeShared } from './base64.node.ts';
import type { Bytes } from './bytes.ts';
import { Malformed } from './refusal.ts';

const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = '='.charCodeAt(0);
/** The longest text that Node decodes: Node's way holds the text twice, which is avoided for a longer one. */
const AT_ONCE_CHARS = 64 * 1024;
const FOREIGN = 64;
const VALUES = new Uint8Array(256).fill(FOREIGN);
ALPHABET.forEach((code, value) => (VALUES[code] = value));

/** Returns the number of base64 characters for so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Encodes bytes as standard base64, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(base64Length(bytes.length));
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const three = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!;
    codes[to] = ALPHABET[three >> 18]!;
    codes[to + 1] = ALPHABET[(three >> 12) & 63]!;
    codes[to + 2] = ALPHABET[(three >> 6) & 63]!;
    codes[to + 3] = ALPHABET[three & 63]!;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return new TextDecoder().decode(codes.fill(PADDING, codes.length - missing));
}

/** Reads standard base64 only: padded, no white space, no stray bits, so that bytes have exactly one text. @gap D1-2.3 */
export function decodeBase64(text: string): Bytes {
  if (text.length % 4 !== 0) throw new Malformed();
  const missing = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (nodeDecodeBase64 && text.length <= AT_ONCE_CHARS) return decodeByNode(text, (text.length / 4) * 3 - missing);
  const codes = new TextEncoder().encode(text.slice(0, text.length - missing) + 'A'.repeat(missing));
  const bytes = decodeQuads(codes);
  const end = bytes.length - missing;
  if (bytes.subarray(end).some((stray) => stray !== 0)) throw new Malformed();
  return bytes.subarray(0, end);
}

function decodeByNode(text: string, length: number): Bytes {
  const bytes = new Uint8Array(length);
  if (!nodeDecodeBase64!(text, bytes)) throw new Malformed();
  return bytes;
}

/** As `decodeBase64`, for exactly `least` bytes, or for `least` to `most` bytes. A text that is too long is not read at all. */
export const decodeSized = (text: unknown, least: number, most = least): Bytes => sized(decodeBase64, text, least, most);

/** As `decodeSized`, for bytes that are no secret and soon dropped: short ones lie in memory that other bytes share. */
export const decodeCiphertext = (text: unknown, least: number, most = least): Bytes => sized(decodeShared, text, least, most);

function decodeShared(text: string): Bytes {
  if (!nodeDecodeShared || text.length > AT_ONCE_CHARS) return decodeBase64(text);
  const bytes = nodeDecodeShared(text);
  if (!bytes) throw new Malformed();
  return bytes;
}

function sized(decode: (text: string) => Bytes, text: unknown, least: number, most: number): Bytes {
  if (typeof text !== 'string' || text.length > base64Length(most)) throw new Malformed();
  const bytes = decode(text);
  if (bytes.length < least || bytes.length > most) throw new Malformed();
  return bytes;
}

function decodeQuads(codes: Uint8Array): Bytes {
  const bytes = new Uint8Array((codes.length / 4) * 3);
  let seen = 0;
  for (let from = 0, to = 0; from < codes.length; from += 4, to += 3) {
    const a = VALUES[codes[from]!]!;
    const b = VALUES[codes[from + 1]!]!;
    const c = VALUES[codes[from + 2]!]!;
    const d = VALUES[codes[from + 3]!]!;
    seen |= a | b | c | d;
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = (b << 4) | (c >> 2);
    bytes[to + 2] = (c << 6) | d;
  }
  if (seen >= FOREIGN) throw new Malformed();
  return bytes;
}

/** Encodes bytes with the URL-safe alphabet and without padding, for tokens that people and headers carry. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes what `encodeBase64Url` writes; undefined when the text is none of it. */
export function decodeBase64Url(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  try {
    return decodeBase64(
      text
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .padEnd(Math.ceil(text.length / 4) * 4, '='),
    );
  } catch {
    return undefined; // the last character has bits that no byte takes
  }
}
