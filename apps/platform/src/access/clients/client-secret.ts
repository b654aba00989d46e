import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { writingKey, type KeyList } from '../../kit/secrets/key-list.ts';

/** The peppers: keys of the front door alone, and not in its database. @spec D1-2.1 */
export const PEPPERS = Symbol('Peppers');

/** The prefix of hashes from the time before each client had a key of its own: an HMAC of the secret itself, under the pepper. */
const OLD_FORM = '1:';

/** How a base checks a secret. The key of the hash belongs to the client alone, and is made from a pepper that only the front door has. */
interface SecretVerifier {
  key: string;
  hash: string;
  /** When it ends, in ISO; null for one that has no end. */
  until: string | null;
  /** False when the secret was hashed with an older pepper: then it is hashed again when it is used. */
  is_current: boolean;
}

/** Returns a new secret of 256 random bits. It is shown once, to the caller that asked for it. @spec D1-5.9 */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Returns the digest that a region sends in place of a secret. It reveals nothing about the secret, and cannot be used as one. */
export const digestSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** Returns what is kept of a secret: the id of the pepper, and a hash under a key made from the pepper and the client's id. @spec D1-2.1 */
export function hashSecret(peppers: KeyList, client_id: string, digest: string): string {
  const { id, key } = writingKey(peppers);
  return `${id}:${hmac(clientKey(key, client_id), digest)}`;
}

/** Returns how other bases check a kept hash; undefined when only the front door can check it, or when none of these peppers made it. */
export function verifierOf(peppers: KeyList, client_id: string, kept: string, until: Date | null = null): SecretVerifier | undefined {
  const [id, hash = ''] = kept.split(':');
  const pepper = peppers.current.find((one) => one.id === id);
  if (!pepper) return undefined;
  const key = clientKey(pepper.key, client_id).toString('base64url');
  return { key, hash, until: until?.toISOString() ?? null, is_current: pepper === writingKey(peppers) };
}

/** Returns the verifier that the digest of a secret fits. It takes the same time for an unknown client as for a wrong secret. */
export function matchingVerifier(verifiers: readonly SecretVerifier[], digest: string, now: Date): SecretVerifier | undefined {
  const compared = verifiers.length > 0 ? verifiers : [NOBODYS];
  const matching = compared.filter((verifier) => fits(verifier, digest));
  return matching.find((one) => one !== NOBODYS && (one.until === null || Date.parse(one.until) > now.getTime()));
}

/** Digests that fitted, as long as their verifier is in the replica: most clients send the same secret, and an HMAC is expensive. */
const fitting = new WeakMap<SecretVerifier, string>();

function fits(verifier: SecretVerifier, digest: string): boolean {
  if (isSame(fitting.get(verifier) ?? '', digest)) return true;
  const isFitting = isSame(verifier.hash, hmac(Buffer.from(verifier.key, 'base64url'), digest));
  if (isFitting) fitting.set(verifier, digest);
  return isFitting;
}

/** Whether a secret is the one that was kept in the old form, under any of the peppers. */
export const matchesOldForm = (peppers: KeyList, secret: string, kept: string): boolean =>
  kept.startsWith(OLD_FORM) && peppers.current.some(({ key }) => isSame(kept.slice(OLD_FORM.length), hmac(key, secret)));

const NOBODYS: SecretVerifier = { key: '', hash: '', until: null, is_current: true };

const clientKey = (pepper: Buffer, client_id: string): Buffer => createHmac('sha256', pepper).update(client_id, 'utf8').digest();
const hmac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text, 'utf8').digest('base64url');

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
