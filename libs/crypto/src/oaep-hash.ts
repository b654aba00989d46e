import type { CryptoKey } from './bytes.ts';

/** The hash of OAEP: SHA-256 for values, SHA-1 for account envelopes. @spec D1-2.3 */
export type OaepHash = 'SHA-1' | 'SHA-256';

/** Returns the hash that a key was imported for. */
export const hashOf = ({ algorithm }: CryptoKey): string | undefined => (algorithm as { hash?: { name: string } } | undefined)?.hash?.name;

/** Throws when a key was imported for the other routine: types do not exist at run time. @spec D1-2.3 */
export function requireHash(key: CryptoKey, hash: OaepHash): void {
  if (hashOf(key) !== hash) throw wrongHash(hash);
}

export const wrongHash = (hash: OaepHash) =>
  new TypeError(`This key was not imported for OAEP with ${hash}: values need a value key, account envelopes an account key.`);
