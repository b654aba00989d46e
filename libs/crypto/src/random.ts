import { encodeBase64Url } from './base64.ts';
import type { Bytes } from './bytes.ts';

/** Bytes from the generator of the runtime: at most 64 KiB at a time. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** An unguessable token: URL-safe base64 of 32 random bytes by default. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(randomBytes(bytes));
}

/** `length` characters drawn evenly from an alphabet of 2 to 256 characters: share codes, matching digits. */
export function randomCode(length: number, alphabet: string): string {
  const even = 256 - (256 % alphabet.length);
  let code = '';
  while (code.length < length) {
    // A byte past the last whole round of the alphabet would favour its first characters: drawn again.
    for (const byte of randomBytes(length - code.length)) if (byte < even) code += alphabet[byte % alphabet.length];
  }
  return code;
}
