import { encodeBase64 } from './base64.ts';
import type { CryptoKey } from './bytes.ts';
import { CryptoRefusal } from './refusal.ts';
import { isUsableSecret, secretBytes } from './text.ts';

// Both sides are keyed with a secret of this process first, so neither their length nor their first difference shows in the time taken.
let processKey: Promise<CryptoKey> | undefined;

/**
 * Whether a secret that came from outside (a bearer or basic Authorization, a custom header) is the expected one; constant time.
 * An unset expectation matches nothing. @spec D1-6.4
 */
export async function equalSecrets(given: string | null | undefined, expected: string | null | undefined): Promise<boolean> {
  if (!isUsableSecret(given) || !isUsableSecret(expected)) return false;
  const key = await (processKey ??= createProcessKey());
  const mac = await crypto.subtle.sign('HMAC', key, secretBytes(expected));
  return crypto.subtle.verify('HMAC', key, mac, secretBytes(given));
}

/** The Authorization header of auth_type bearer. @spec D1-6.4 */
export function bearerAuthorization(auth_token: string): string {
  return `Bearer ${auth_token}`;
}

/** The Authorization header of auth_type basic, as UTF-8. A colon would end the user name early, so it is refused there. @spec D1-6.4 */
export function basicAuthorization(auth_username: string, auth_password: string): string {
  if (auth_username.includes(':')) throw new CryptoRefusal('secret');
  return `Basic ${encodeBase64(secretBytes(`${auth_username}:${auth_password}`))}`;
}

function createProcessKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}
