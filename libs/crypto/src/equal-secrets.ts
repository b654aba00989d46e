import { encodeBase64 } from './base64.ts';
import type { CryptoKey } from './bytes.ts';
import { CryptoRefusal } from './refusal.ts';
import { isUsableSecret, secretBytes } from './text.ts';

// Both sides are first hashed with a secret key of this process, so that the time taken shows neither their length nor their first
// difference.
let processKey: Promise<CryptoKey> | undefined;

/** Whether a secret from outside is the expected one, in constant time. When none is expected, nothing matches. @spec D1-6.4 */
export async function equalSecrets(given: string | null | undefined, expected: string | null | undefined): Promise<boolean> {
  if (!isUsableSecret(given) || !isUsableSecret(expected)) return false;
  const key = await (processKey ??= createProcessKey());
  const mac = await crypto.subtle.sign('HMAC', key, secretBytes(expected));
  return crypto.subtle.verify('HMAC', key, mac, secretBytes(given));
}

/** Returns the Authorization header of auth_type bearer. @spec D1-6.4 */
export function bearerAuthorization(auth_token: string): string {
  return `Bearer ${auth_token}`;
}

/** Returns the Authorization header of auth_type basic, as UTF-8. Refuses a colon, which would end the name. @spec D1-6.4 */
export function basicAuthorization(auth_username: string, auth_password: string): string {
  if (auth_username.includes(':')) throw new CryptoRefusal('secret');
  return `Basic ${encodeBase64(secretBytes(`${auth_username}:${auth_password}`))}`;
}

function createProcessKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}
