import type { CryptoKey } from './bytes.ts';

/** The hash of OAEP: SHA-256 for values, SHA-1 for account envelopes. @spec D1-2.3 */
export type OaepHash = 'SHA-1' | 'SHA-256';

/** The hash that a key was imported for. */
export const hashOf = ({ algorithm }: CryptoKey): string | undefined => (algorithm as { hash?: { name: string } } | undefined)?.hash?.name;

/** Types vanish when the program runs: a key that was imported for the other routine is refused, whatever it is used for. @spec D1-2.3 */
export function requireHash(key: CryptoKey, hash: OaepHash): void {
  if (hashOf(key) !== hash) throw wrongHash(hash);
}

export const wrongHash = (hash: OaepHash) =>
  new TypeError(`This key was not imported for OAEP with ${hash}: values need a value key, account envelopes an account key.`);
