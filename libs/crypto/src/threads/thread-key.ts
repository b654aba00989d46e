import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import type { OaepHash } from '../oaep-hash.ts';
import { checkedPrivateKey } from '../open/private-key.ts';
import { substituteSecretOf } from '../open/substitute-key.ts';
import { refusing } from '../refusal.ts';

/** A private key that can be sent to a thread. Both of its keys are stored outside of JavaScript, once for all threads. */
export interface ThreadKey {
  readonly hash: OaepHash;
  readonly rsa: KeyObject;
  /** The secret that makes the substitute of a key that does not unwrap: see `substituteSecretOf`. */
  readonly substitute: KeyObject;
}

/** Imports a PKCS#8 private key for values. Its hash is SHA-256. @spec D1-2.3 */
export const valueThreadKey = (pkcs8: Bytes): Promise<ThreadKey> => threadKey(pkcs8, 'SHA-256');

/** Imports a PKCS#8 private key for account envelopes. Its hash and that of MGF1 are SHA-1. @spec D1-2.3 @gap D1-2.3 */
export const accountThreadKey = (pkcs8: Bytes): Promise<ThreadKey> => threadKey(pkcs8, 'SHA-1');

function threadKey(pkcs8: Bytes, hash: OaepHash): Promise<ThreadKey> {
  return refusing('private_key', async () => {
    const rsa = createPrivateKey({ key: bufferOver(checkedPrivateKey(pkcs8)), format: 'der', type: 'pkcs8' });
    const secret = await substituteSecretOf(pkcs8, hash);
    try {
      return { hash, rsa, substitute: createSecretKey(secret) };
    } finally {
      secret.fill(0);
    }
  });
}

/** Returns a Buffer over the same memory: a copy of the key would stay behind in memory. */
const bufferOver = ({ buffer, byteOffset, byteLength }: Bytes) => Buffer.from(buffer, byteOffset, byteLength);
