import type { Bytes } from './bytes.ts';
import { PLAINTEXT_BYTES, SECRET_CHARS } from './limits.ts';
import { CryptoRefusal } from './refusal.ts';

const encoder = new TextEncoder();
// A leading BOM is part of the value and stays. @gap D1-2.3
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text in UTF-8 bytes; throws when they are none, instead of replacing what it cannot read. @gap D1-2.3 */
export function decodeUtf8(bytes: Bytes): string {
  return decoder.decode(bytes);
}

/** What is about to be sealed or hashed; refused when it is too large, or is text that would not come back the same. */
export function plaintextBytes(plaintext: string | Uint8Array): Bytes {
  if (plaintext.length > PLAINTEXT_BYTES) throw new CryptoRefusal('plaintext');
  if (typeof plaintext !== 'string') return plaintext as Bytes;
  if (!isWellFormed(plaintext)) throw new CryptoRefusal('plaintext');
  const bytes = encoder.encode(plaintext);
  if (bytes.length > PLAINTEXT_BYTES) throw new CryptoRefusal('plaintext');
  return bytes;
}

/** A shared secret or passphrase as a key: the UTF-8 bytes of the text as shown. @gap D1-6.4 */
export function secretBytes(secret: string): Bytes {
  if (!isUsableSecret(secret)) throw new CryptoRefusal('secret');
  return encoder.encode(secret);
}

/** Whether a secret is text, not empty, and short enough to look at. */
export function isUsableSecret(secret: string | null | undefined): secret is string {
  return typeof secret === 'string' && secret.length > 0 && secret.length <= SECRET_CHARS && isWellFormed(secret);
}

/** Half a surrogate pair has no UTF-8 form: the encoder would put another character in its place. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
