import { AES_KEY_BYTES } from './aes-gcm.ts';
import type { Bytes } from './bytes.ts';
import { SECRET_CHARS } from './limits.ts';
import { CryptoRefusal } from './refusal.ts';
import { secretBytes } from './text.ts';

/** @spec D1-2.4 @spec D1-8 */
export const PBKDF2_ITERATIONS = 100_000;
export const PBKDF2_SALT_BYTES = 16;

/** A passphrase as text, or as its UTF-8 bytes. Its owner can zero the bytes after use, which is not possible with a string. */
export type Passphrase = string | Bytes;

/** Derives an AES-256 key from a passphrase by PBKDF2-SHA256. The caller zeroes the key after use. @spec D1-2.4 @gap D1-2.4 */
export async function deriveKey(passphrase: Passphrase, salt: Bytes, iterations: number): Promise<Bytes> {
  const secret = typeof passphrase === 'string' ? secretBytes(passphrase) : usableBytes(passphrase);
  const material = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveBits']);
  if (secret !== passphrase) secret.fill(0);
  const recipe = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(recipe, material, AES_KEY_BYTES * 8));
}

function usableBytes(passphrase: Bytes): Bytes {
  if (passphrase.length === 0 || passphrase.length > SECRET_CHARS) throw new CryptoRefusal('secret');
  return passphrase;
}
