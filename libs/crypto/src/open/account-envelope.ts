import { AES_KEY_BYTES, openGcm } from '../aes-gcm.ts';
import type { Bytes } from '../bytes.ts';
import { readEnvelope } from '../envelope-shape.ts';
import { refusing } from '../refusal.ts';
import { takeUtf8 } from '../text.ts';
import { importKeyPool, type KeyPool, type PrivateKeyOptions } from './key-pool.ts';

// Kept separate from the value wrapper on purpose, as on the sealing side. @spec D1-2.3

declare const forAccountEnvelopes: unique symbol;

/** A company account's private key, for encrypt_payload webhooks only; values sealed to the account need a ValuePrivateKey. */
export type AccountPrivateKey = KeyPool & { readonly [forAccountEnvelopes]: true };

/** Imports a PKCS#8 private key for the account envelope. Its hash and that of MGF1 are SHA-1. @spec D1-2.3 @gap D1-2.3 */
export async function importAccountPrivateKey(pkcs8: Bytes, options: PrivateKeyOptions = {}): Promise<AccountPrivateKey> {
  const oaep = { name: 'RSA-OAEP', hash: 'SHA-1' };
  const pool = await importKeyPool(pkcs8, options, (der) => crypto.subtle.importKey('pkcs8', der, oaep, false, ['decrypt']));
  return pool as AccountPrivateKey;
}

/** Opens an encrypt_payload webhook body. Every fault is the same refusal. @spec D1-2.3 @spec D1-6.4 @gap D1-2.3 */
export async function openAccountEnvelope(key: AccountPrivateKey, envelope: string): Promise<string> {
  key.requireHash('SHA-1');
  return refusing('envelope', async () => {
    const { k, iv, d } = readEnvelope(envelope);
    const aesKey = await unwrapAccountKey(key, k);
    return takeUtf8(await openGcm(aesKey, iv, d).finally(() => aesKey.fill(0)));
  });
}

/** Unwraps the AES key. As with values, a key that does not unwrap is replaced, so that it fails only at the tag and not earlier. */
async function unwrapAccountKey(key: AccountPrivateKey, k: Bytes): Promise<Bytes> {
  const substitute = await key.substitute(k);
  const unwrapped = await key.run((imported) => crypto.subtle.decrypt('RSA-OAEP', imported, k)).catch(() => substitute.buffer);
  return unwrapped.byteLength === AES_KEY_BYTES ? new Uint8Array(unwrapped) : substitute;
}
