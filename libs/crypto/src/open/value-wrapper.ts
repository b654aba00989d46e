import { AES_KEY_BYTES, openGcm } from '../aes-gcm.ts';
import { decodeSized, encodeBase64 } from '../base64.ts';
import type { Bytes } from '../bytes.ts';
import { readEnvelope, RSA_2048_BYTES } from '../envelope-shape.ts';
import { refusing } from '../refusal.ts';
import { takeUtf8 } from '../text.ts';
import { importKeyPool, type KeyPool, type PrivateKeyOptions } from './key-pool.ts';

declare const forValues: unique symbol;

/** A private key that opens values. Import it once and use it for any number of values at a time. */
export type ValuePrivateKey = KeyPool & { readonly [forValues]: true };

/** Imports a PKCS#8 private key for the value wrapper. Its hash is SHA-256, never a SHA-1 default. @spec D1-2.3 */
export async function importValuePrivateKey(pkcs8: Bytes, options: PrivateKeyOptions = {}): Promise<ValuePrivateKey> {
  const oaep = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const pool = await importKeyPool(pkcs8, options, (der) => crypto.subtle.importKey('pkcs8', der, oaep, false, ['decrypt']));
  return pool as ValuePrivateKey;
}

/** Opens a value wrapper. Every fault, of form or of key, is the same refusal. @spec D1-2.3 @gap D1-2.3 */
export async function openValue(key: ValuePrivateKey, wrapper: string): Promise<string> {
  key.requireHash('SHA-256');
  return refusing('envelope', async () => {
    const { k, iv, d } = readEnvelope(wrapper);
    const aesKey = await unwrapValueKey(key, k);
    return takeUtf8(await openGcm(aesKey, iv, d).finally(() => aesKey.fill(0)));
  });
}

/**
 * Unwraps the AES key of one value, for a reader who has the value itself: see `takeApart`. When a wrapped key does not unwrap, returns a
 * substitute, which opens nothing and is the same each time. So a caller that asks for keys learns no more than one that asks for values.
 * @spec D1-2.3 @gap D1-2.8
 */
export async function unwrapKey(key: ValuePrivateKey, wrapped_key: string): Promise<string> {
  key.requireHash('SHA-256');
  return refusing('envelope', async () => encodeBase64(await unwrapValueKey(key, decodeSized(wrapped_key, RSA_2048_BYTES))));
}

/**
 * Unwraps the AES key. A key that does not unwrap, or has another length, is replaced by its substitute, so that the work and the fault are
 * those of a wrong tag. The substitute is computed for good keys too, so that the time taken does not show which case it is.
 */
async function unwrapValueKey(key: ValuePrivateKey, k: Bytes): Promise<Bytes> {
  const substitute = await key.substitute(k);
  const unwrapped = await key.run((imported) => crypto.subtle.decrypt('RSA-OAEP', imported, k)).catch(() => substitute.buffer);
  return unwrapped.byteLength === AES_KEY_BYTES ? new Uint8Array(unwrapped) : substitute;
}
