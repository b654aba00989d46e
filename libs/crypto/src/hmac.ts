import { concatBytes, fromHex, toHex, type Bytes, type CryptoKey } from './bytes.ts';
import { nodeHmac } from './hmac.node.ts';
import { isUsableSecret, secretBytes } from './text.ts';

/** Returns X-Platform-Signature: hex HMAC-SHA256 of the raw body, keyed with the secret as shown. @spec D1-6.4 @gap D1-6.4 */
export function signWebhook(hmac_secret: string, body: Uint8Array): Promise<string> {
  return hmacHex(hmac_secret, body);
}

/** Whether the signature is the one of these body bytes, in constant time. False for a missing or malformed signature. @spec D1-6.4 */
export function isWebhookSignature(hmac_secret: string, body: Uint8Array, signature: string | null | undefined): Promise<boolean> {
  return isHmac(hmac_secret, body, signature);
}

/**
 * Returns X-Platform-Signatures, a header beyond the specification: the time in seconds, and for each secret the HMAC-SHA256 of that time,
 * a dot and the raw body: `t=1763164800,v1=…,v1=…`. There are two while a secret is being replaced. @gap D1-6.4
 */
export async function signWebhookAt(hmac_secrets: readonly string[], body: Uint8Array, at: Date): Promise<string> {
  const t = String(Math.floor(at.getTime() / 1000));
  const macs = await Promise.all(hmac_secrets.map((secret) => hmacHex(secret, timed(t, body))));
  return [`t=${t}`, ...macs.map((mac) => `v1=${mac}`)].join(',');
}

/** Returns when a delivery was signed, if one of these signatures is by this secret. Constant time for each. @gap D1-6.4 */
export async function webhookSignedAt(
  hmac_secret: string,
  body: Uint8Array,
  signatures: string | null | undefined,
): Promise<Date | undefined> {
  const [time = '', ...given] = (signatures ?? '').split(',', MAX_SIGNATURES + 1);
  const t = /^t=(\d{1,12})$/.exec(time)?.[1];
  if (t === undefined) return undefined;
  const matches = await Promise.all(given.map((one) => isHmac(hmac_secret, timed(t, body), one.replace(/^v1=/, ''))));
  return matches.includes(true) ? new Date(Number(t) * 1000) : undefined;
}

/** How many signatures are checked: each one costs a hash of the body. */
const MAX_SIGNATURES = 4;
const timed = (t: string, body: Uint8Array) => concatBytes(new TextEncoder().encode(`${t}.`), body);

/** Returns the keyed hash under which a client_secret is stored. @spec D1-2.1 */
export async function keyedHash(key: string, secret: string): Promise<string> {
  return hmacHex(key, secretBytes(secret));
}

/** Whether a secret is the one whose keyed hash was stored, in constant time. @spec D1-2.1 */
export async function isKeyedHash(key: string, secret: string, hash: string): Promise<boolean> {
  return isUsableSecret(secret) && isHmac(key, secretBytes(secret), hash);
}

const AT_ONCE_BYTES = 64 * 1024;

async function hmacHex(secret: string, message: Uint8Array): Promise<string> {
  // In Node synchronously on this thread: WebCrypto changes threads twice, which costs more than the hash of a message.
  if (nodeHmac && message.length <= AT_ONCE_BYTES) return toHex(nodeHmac(secretBytes(secret))(message as Bytes));
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
