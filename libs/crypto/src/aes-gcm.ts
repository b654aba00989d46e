import type { Bytes, CryptoKey } from './bytes.ts';
import { nodeGcm } from './aes-gcm.node.ts';
import { randomBytes } from './random.ts';

/** @spec D1-2.3 AES-256-GCM with a 12-byte IV and a 16-byte tag appended to the ciphertext. */
export const AES_KEY_BYTES = 32;
export const GCM_IV_BYTES = 12;
export const GCM_TAG_BYTES = 16;

/** The longest text for node:crypto on this thread: a WebCrypto call costs 150 microseconds of thread changes (measured). */
const AT_ONCE_BYTES = 64 * 1024;

/** Encrypts under a fresh random IV. */
export async function sealGcm(key: Bytes, plaintext: Bytes): Promise<{ iv: Bytes; data: Bytes }> {
  const iv = randomBytes(GCM_IV_BYTES);
  if (nodeGcm && plaintext.length <= AT_ONCE_BYTES) return { iv, data: nodeGcm.seal(key, iv, plaintext) };
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await importAes(key, 'encrypt'), plaintext);
  return { iv, data: new Uint8Array(data) };
}

/** Decrypts `data` (ciphertext and tag); throws when the tag does not match. */
export async function openGcm(key: Bytes, iv: Bytes, data: Bytes): Promise<Bytes> {
  if (nodeGcm && data.length <= AT_ONCE_BYTES) return nodeGcm.open(key, iv, data);
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await importAes(key, 'decrypt'), data));
}

function importAes(key: Bytes, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use]);
}
