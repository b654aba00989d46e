import { AES_KEY_BYTES } from '../aes-gcm.ts';
import type { Bytes, CryptoKey } from '../bytes.ts';
import { nodeHmac } from '../hmac.node.ts';
import { randomBytes } from '../random.ts';

/** Returns the key that replaces the AES key when a wrapped key does not unwrap: always the same for the same wrapped key. */
export type SubstituteKey = (wrapped_key: Bytes) => Bytes | Promise<Bytes>;

const encoder = new TextEncoder();

/**
 * Derives the secret for implicit rejection, as FIPS 203 and OpenSSL (for PKCS#1 v1.5, not for OAEP) do it: the substitute is an HMAC of
 * the wrapped key under a secret that only the private key gives. A caller without the private key cannot tell it from an unwrapped key: it
 * cannot be predicted, and it is the same each time and in each replica. A fresh random key would differ between two requests, and so
 * reveal which wrapped keys are good. @gap D1-2.8
 */
export async function substituteSecretOf(pkcs8: Bytes, hash: string | undefined): Promise<Bytes> {
  const material = await crypto.subtle.importKey('raw', pkcs8, 'HKDF', false, ['deriveBits']);
  const info = encoder.encode(`substitute for a key wrapped with RSA-OAEP and ${hash}`);
  const recipe = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(recipe, material, AES_KEY_BYTES * 8));
}

export const substituteKeyOf = async (pkcs8: Bytes, hash: string | undefined): Promise<SubstituteKey> =>
  keyedBy(await substituteSecretOf(pkcs8, hash));

/** For a private key whose bytes nobody has. The key lives only as long as this process, so its secret may be random and live as long. */
export const randomSubstituteKey = (): Promise<SubstituteKey> => keyedBy(randomBytes(AES_KEY_BYTES));

/** Makes the function that computes substitutes. Takes the secret over and zeroes its bytes. */
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
