import type { Bytes } from './bytes.ts';
import { PLAINTEXT_BYTES, SECRET_CHARS } from './limits.ts';
import { CryptoRefusal } from './refusal.ts';

const encoder = new TextEncoder();
// A leading BOM is part of the value and stays. @gap D1-2.3
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text in UTF-8 bytes. Throws when the bytes are not UTF-8, instead of replacing what it cannot read. @gap D1-2.3 */
export function decodeUtf8(bytes: Bytes): string {
  return decoder.decode(bytes);
}

/** Returns the text of a plaintext, and zeroes its bytes: the text is then the only copy. */
export function takeUtf8(bytes: Bytes): string {
  try {
    return decodeUtf8(bytes);
  } finally {
    bytes.fill(0);
  }
}

/** Returns the bytes to seal or hash. Refuses what is too large, and text that would not come back the same. */
export function plaintextBytes(plaintext: string | Uint8Array): Bytes {
  if (plaintext.length > PLAINTEXT_BYTES) throw new CryptoRefusal('plaintext');
  if (typeof plaintext !== 'string') return plaintext as Bytes;
  if (!isWellFormed(plaintext)) throw new CryptoRefusal('plaintext');
  const bytes = encoder.encode(plaintext);
  if (bytes.length > PLAINTEXT_BYTES) throw new CryptoRefusal('plaintext');
  return bytes;
}

/** Returns a shared secret or passphrase as key bytes: the UTF-8 of the text as shown. @gap D1-6.4 */
export function secretBytes(secret: string): Bytes {
  if (!isUsableSecret(secret)) throw new CryptoRefusal('secret');
  return encoder.encode(secret);
}

/** Whether a secret is well-formed text, not empty, and not too long. */
export function isUsableSecret(secret: string | null | undefined): secret is string {
  return typeof secret === 'string' && secret.length > 0 && secret.length <= SECRET_CHARS && isWellFormed(secret);
}

/** Whether a text has no half of a surrogate pair: it has no UTF-8 form, so the encoder would write another character. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
