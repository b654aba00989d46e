import { AES_KEY_BYTES, sealGcm } from './aes-gcm.ts';
import type { CryptoKey } from './bytes.ts';
import { writeEnvelope } from './envelope-shape.ts';
import { requireHash } from './oaep-hash.ts';
import { randomBytes } from './random.ts';
import { refusing } from './refusal.ts';
import { readPublicKey } from './spki.ts';
import { plaintextBytes } from './text.ts';

declare const forValues: unique symbol;

/** A public key to which values are sealed: that of a service, a person or a plugin. Import it once and use it many times. */
export type ValuePublicKey = CryptoKey & { readonly [forValues]: true };

/** Imports a public_key for the value wrapper. Its hash is SHA-256. @spec D1-2.3 */
export async function importValuePublicKey(public_key: string): Promise<ValuePublicKey> {
  const oaep = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const importOnce = async () => crypto.subtle.importKey('spki', await readPublicKey(public_key), oaep, false, ['encrypt']);
  return (await refusing('public_key', importOnce)) as ValuePublicKey;
}

/** Seals a text for one recipient. Returns the wrapper as the JSON string in which it travels. @spec D1-2.3 */
export async function sealValue(recipient: ValuePublicKey, plaintext: string): Promise<string> {
  requireHash(recipient, 'SHA-256');
  const bytes = plaintextBytes(plaintext);
  const aesKey = randomBytes(AES_KEY_BYTES);
  const k = new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', recipient, aesKey));
  const { iv, data } = await sealGcm(aesKey, bytes).finally(() => aesKey.fill(0));
  return writeEnvelope({ k, iv, d: data });
}
