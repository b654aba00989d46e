import { encodeBase64Url } from './base64.ts';
import type { Bytes } from './bytes.ts';

/** Returns bytes from the random generator of the runtime, at most 64 KiB at a time. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Returns an unguessable token: URL-safe base64 of 32 random bytes by default. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(randomBytes(bytes));
}

/** Returns `length` characters drawn evenly from an alphabet of 2 to 256 characters, for share codes and matching digits. */
export function randomCode(length: number, alphabet: string): string {
  const even = 256 - (256 % alphabet.length);
  let code = '';
  while (code.length < length) {
    // A byte beyond the last full round of the alphabet would favour its first characters, so it is drawn again.
    for (const byte of randomBytes(length - code.length)) if (byte < even) code += alphabet[byte % alphabet.length];
  }
  return code;
}
