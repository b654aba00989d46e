import { AES_KEY_BYTES } from '../aes-gcm.ts';
import type { Bytes, CryptoKey } from '../bytes.ts';
import { nodeHmac } from '../hmac.node.ts';
import { randomBytes } from '../random.ts';

/** What stands in for the AES key of a wrapped key that does not unwrap: always the same for the same wrapped key. */
export type SubstituteKey = (wrapped_key: Bytes) => Bytes | Promise<Bytes>;

const encoder = new TextEncoder();

/**
 * Implicit rejection, as FIPS 203 and OpenSSL (for PKCS#1 v1.5, not for OAEP) do it: an HMAC of the wrapped key under a secret that only
 * the private key gives. To whoever does not hold the private key the result looks like a key that was unwrapped: it cannot be predicted,
 * and is the same each time and in each replica. A fresh random key would differ when asked for twice, and so tell which wrapped keys are
 * good.
 * @gap D1-2.8
 */
export async function substituteSecretOf(pkcs8: Bytes, hash: string | undefined): Promise<Bytes> {
  const material = await crypto.subtle.importKey('raw', pkcs8, 'HKDF', false, ['deriveBits']);
  const info = encoder.encode(`substitute for a key wrapped with RSA-OAEP and ${hash}`);
  const recipe = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(recipe, material, AES_KEY_BYTES * 8));
}

export const substituteKeyOf = async (pkcs8: Bytes, hash: string | undefined): Promise<SubstituteKey> =>
  keyedBy(await substituteSecretOf(pkcs8, hash));

/** For a private key whose bytes nobody has: it lives as long as this process, and so may its secret. */
export const randomSubstituteKey = (): Promise<SubstituteKey> => keyedBy(randomBytes(AES_KEY_BYTES));

/** Takes the secret over: its bytes are zeroed. */
async function keyedBy(secret: Bytes): Promise<SubstituteKey> {
  try {
    return nodeHmac ? nodeHmac(secret) : bySubtle(await importSecret(secret));
  } finally {
    secret.fill(0);
  }
}

const importSecret = (secret: Bytes): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

const bySubtle =
  (key: CryptoKey): SubstituteKey =>
  async (wrapped_key) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', key, wrapped_key));
