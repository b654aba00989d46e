import { decodeSized } from './base64.ts';
import { concatBytes, type Bytes, type CryptoKey } from './bytes.ts';

/** The headers of a delivery by Standard Webhooks, as they came. */
interface StandardHeaders {
  id: string | null | undefined;
  timestamp: string | null | undefined;
  signature: string | null | undefined;
}

/** What a receiver expects of a delivery. */
export interface StandardDelivery {
  /** The id of the receiver's own webhook: the platform signs deliveries of all companies with the same keys. */
  webhook_id: string;
  headers: StandardHeaders;
  /** The body, as it came. */
  body: Uint8Array;
  /** Keys of which any may have signed: `whpk_…` for `v1a`, `whsec_…` for `v1`. */
  keys: readonly string[];
}

/** A delivery whose signature was verified. */
export interface VerifiedDelivery {
  /** The id of the event, which stays the same when its delivery is repeated. */
  event_id: string;
  /** When it was signed. Refuse what is older than a few minutes. */
  signed_at: Date;
}

const MAX_SIGNATURES = 8;
const MAX_KEYS = 8;
const [PUBLIC_KEY_BYTES, SIGNATURE_BYTES, MAC_BYTES] = [32, 64, 32];
/** The bytes of a secret, by Standard Webhooks. */
const SECRET_BYTES = { least: 24, most: 64 };

/**
 * Verifies a delivery by Standard Webhooks. Returns undefined unless one of the keys signed exactly this body for this webhook. The caller
 * compares the time with its clock.
 */
export async function verifyStandardWebhook(delivery: StandardDelivery): Promise<VerifiedDelivery | undefined> {
  const { id, timestamp, signature } = delivery.headers;
  const event_id = eventOf(id, delivery.webhook_id);
  if (event_id === undefined || !/^\d{1,12}$/.test(timestamp ?? '')) return undefined;
  const content = concatBytes(new TextEncoder().encode(`${id}.${timestamp}.`), delivery.body);
  const signatures = (signature ?? '').split(' ', MAX_SIGNATURES);
  const keys = await Promise.all(delivery.keys.slice(0, MAX_KEYS).map(importKey));
  const checks = keys.flatMap((key) => signatures.map((one) => isSignature(key, one, content)));
  return (await Promise.all(checks)).includes(true) ? { event_id, signed_at: new Date(Number(timestamp) * 1000) } : undefined;
}

/** Returns the bytes of a `whsec_` secret; undefined for a secret of another form. */
export function standardSecretBytes(secret: string): Bytes | undefined {
  return secret.startsWith('whsec_') ? decoded(secret.slice(6), SECRET_BYTES.least, SECRET_BYTES.most) : undefined;
}

/** Returns the id of the event in a `webhook-id`, which begins with the id of the webhook. */
function eventOf(id: string | null | undefined, webhook_id: string): string | undefined {
  const start = `${webhook_id}:`;
  return id?.startsWith(start) && id.length > start.length ? id.slice(start.length) : undefined;
}

/** A key, the name of its signatures, and how long they are. */
interface StandardKey {
  version: 'v1' | 'v1a';
  bytes: number;
  algorithm: 'HMAC' | 'Ed25519';
  key: CryptoKey;
}

/** Reads a key. A text that is no key is a mistake of the caller, and not of the delivery. */
async function importKey(text: string): Promise<StandardKey> {
  const secret = standardSecretBytes(text);
  if (secret) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    return { version: 'v1', bytes: MAC_BYTES, algorithm: 'HMAC', key };
  }
  const known = text.startsWith('whpk_') ? decoded(text.slice(5), PUBLIC_KEY_BYTES) : undefined;
  if (!known) throw new TypeError('a key must be whpk_ or whsec_ and base64');
  const key = await crypto.subtle.importKey('raw', known, { name: 'Ed25519' }, false, ['verify']);
  return { version: 'v1a', bytes: SIGNATURE_BYTES, algorithm: 'Ed25519', key };
}

async function isSignature({ version, bytes, algorithm, key }: StandardKey, given: string, content: Bytes): Promise<boolean> {
  if (!given.startsWith(`${version},`)) return false;
  const signature = decoded(given.slice(version.length + 1), bytes);
  return signature !== undefined && crypto.subtle.verify(algorithm, key, signature, content);
}

function decoded(text: string, least: number, most = least): Bytes | undefined {
  try {
    return decodeSized(text, least, most);
  } catch {
    return undefined;
  }
}
