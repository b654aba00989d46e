import { AES_KEY_BYTES } from './aes-gcm.ts';
import type { Bytes } from './bytes.ts';
import { secretBytes } from './text.ts';

/** @spec D1-2.4 @spec D1-8 */
export const PBKDF2_ITERATIONS = 100_000;
export const PBKDF2_SALT_BYTES = 16;

/** PBKDF2-SHA256: the AES-256 key that a passphrase, as UTF-8 text, stands for. @spec D1-2.4 @gap D1-2.4 */
export async function deriveKey(passphrase: string, salt: Bytes, iterations: number): Promise<Bytes> {
  const material = await crypto.subtle.importKey('raw', secretBytes(passphrase), 'PBKDF2', false, ['deriveBits']);
  const recipe = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(recipe, material, AES_KEY_BYTES * 8));
}
