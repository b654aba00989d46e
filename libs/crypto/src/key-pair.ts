import { encodeBase64 } from './base64.ts';
import type { CryptoKey } from './bytes.ts';

/** Generates a key pair by the recipe: RSA-OAEP, 2048 bit, public exponent 65537, SHA-256. @spec D1-2.4 */
export async function generateKeyPair({ extractable }: { extractable: boolean }): Promise<{ public_key: string; privateKey: CryptoKey }> {
  const publicExponent = new Uint8Array([1, 0, 1]);
  const recipe = { name: 'RSA-OAEP', modulusLength: 2048, publicExponent, hash: 'SHA-256' };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(recipe, extractable, ['encrypt', 'decrypt']);
  const spki = await crypto.subtle.exportKey('spki', publicKey);
  return { public_key: encodeBase64(new Uint8Array(spki)), privateKey };
}
