import { AES_KEY_BYTES, sealGcm } from './aes-gcm.ts';
import type { CryptoKey } from './bytes.ts';
import { writeEnvelope } from './envelope-shape.ts';
import { requireHash } from './oaep-hash.ts';
import { randomBytes } from './random.ts';
import { refusing } from './refusal.ts';
import { readPublicKey } from './spki.ts';
import { plaintextBytes } from './text.ts';

// Kept separate from the value wrapper on purpose: a shared function with the hash as an argument could be given the wrong hash.
// @spec D1-2.3

declare const forAccountEnvelopes: unique symbol;

/** A company account's public key, for encrypt_payload webhooks only. Import once, use many times. */
export type AccountPublicKey = CryptoKey & { readonly [forAccountEnvelopes]: true };

/** Imports an account's public key for the account envelope. Its hash and that of MGF1 are SHA-1. @spec D1-2.3 @gap D1-2.3 */
export async function importAccountPublicKey(public_key: string): Promise<AccountPublicKey> {
  const oaep = { name: 'RSA-OAEP', hash: 'SHA-1' };
  const importOnce = async () => crypto.subtle.importKey('spki', await readPublicKey(public_key), oaep, false, ['encrypt']);
  return (await refusing('public_key', importOnce)) as AccountPublicKey;
}

/** Seals a whole webhook body, JSON or XML, to the company account; the envelope is JSON either way. @spec D1-2.3 @spec D1-6.4 */
export async function sealAccountEnvelope(account: AccountPublicKey, body: string): Promise<string> {
  requireHash(account, 'SHA-1');
  const bytes = plaintextBytes(body);
  const aesKey = randomBytes(AES_KEY_BYTES);
  const k = new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', account, aesKey));
  const { iv, data } = await sealGcm(aesKey, bytes).finally(() => aesKey.fill(0));
  return writeEnvelope({ k, iv, d: data });
}
