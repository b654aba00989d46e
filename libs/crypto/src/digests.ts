import { concatBytes, toHex, type Bytes } from './bytes.ts';
import { plaintextBytes } from './text.ts';

/**
 * Returns the SHA-256 in lowercase hex: for plain_sha256 of a PDF (D1-2.12), and for X-Platform-Content-Sha256 over exactly the bytes
 * served. @spec D1-2.8 @spec D1-2.12
 */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Bytes)));
}

/** Whether the given digest is the SHA-256 of these bytes. */
export async function matchesSha256(bytes: Uint8Array, digest: string | null | undefined): Promise<boolean> {
  return (await sha256Hex(bytes)) === digest;
}

/** Returns the SHA-256 over the UTF-8 bytes of the salt as given, followed by those of the plaintext. @spec D1-2.7 @gap D1-2.7 */
export async function verifiedHash(verified_salt: string, plaintext: string): Promise<string> {
  return sha256Hex(concatBytes(plaintextBytes(verified_salt), plaintextBytes(plaintext)));
}

/** The members of a value that attest it; null or absent when nobody has verified the value. */
export interface Attestation {
  verified_hash?: string | null;
  verified_salt?: string | null;
}

/** Whether the plaintext is the one that was verified. False means not attested, not wrong. @spec D1-2.7 */
export async function isAttested({ verified_hash, verified_salt }: Attestation, plaintext: string): Promise<boolean> {
  if (typeof verified_hash !== 'string' || typeof verified_salt !== 'string') return false;
  const hash = await verifiedHash(verified_salt, plaintext).catch(() => undefined);
  return hash === verified_hash;
}
