import { fromHex, toHex, type Bytes, type CryptoKey } from './bytes.ts';
import { isUsableSecret, secretBytes } from './text.ts';

/** X-Platform-Signature: lowercase hex HMAC-SHA256 of the raw body bytes, keyed with the secret as shown. @spec D1-6.4 @gap D1-6.4 */
export function signWebhook(hmac_secret: string, body: Uint8Array): Promise<string> {
  return hmacHex(hmac_secret, body);
}

/** Whether the signature is the one of these body bytes; constant time. A missing or misshapen one is simply not it. @spec D1-6.4 */
export function isWebhookSignature(hmac_secret: string, body: Uint8Array, signature: string | null | undefined): Promise<boolean> {
  return isHmac(hmac_secret, body, signature);
}

/** The keyed hash under which a client_secret is stored. @spec D1-2.1 */
export async function keyedHash(key: string, secret: string): Promise<string> {
  return hmacHex(key, secretBytes(secret));
}

/** Whether a secret is the one whose keyed hash was stored; constant time. @spec D1-2.1 */
export async function isKeyedHash(key: string, secret: string, hash: string): Promise<boolean> {
  return isUsableSecret(secret) && isHmac(key, secretBytes(secret), hash);
}

async function hmacHex(secret: string, message: Uint8Array): Promise<string> {
  const key = await importSecret(secret);
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', key, message as Bytes)));
}

async function isHmac(secret: string, message: Uint8Array, hex: string | null | undefined): Promise<boolean> {
  const key = await importSecret(secret);
  const mac = hex ?? '';
  return /^[0-9a-f]{64}$/.test(mac) && crypto.subtle.verify('HMAC', key, fromHex(mac), message as Bytes);
}

async function importSecret(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secretBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}
