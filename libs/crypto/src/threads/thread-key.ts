import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import type { OaepHash } from '../oaep-hash.ts';
import { checkedPrivateKey } from '../open/private-key.ts';
import { substituteSecretOf } from '../open/substitute-key.ts';
import { refusing } from '../refusal.ts';

/** A private key as a message to a thread carries it: both keys lie outside of JavaScript, once for all threads. */
export interface ThreadKey {
  readonly hash: OaepHash;
  readonly rsa: KeyObject;
  /** Makes the substitute of a key that does not unwrap: see `substituteSecretOf`. */
  readonly substitute: KeyObject;
}

/** A PKCS#8 private key for values: its hash is SHA-256 from here on. @spec D1-2.3 */
export const valueThreadKey = (pkcs8: Bytes): Promise<ThreadKey> => threadKey(pkcs8, 'SHA-256');

/** A PKCS#8 private key for account envelopes: its hash, and that of MGF1, is SHA-1. @spec D1-2.3 @gap D1-2.3 */
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

/** The same memory: a copy of the key would stay behind. */
const bufferOver = ({ buffer, byteOffset, byteLength }: Bytes) => Buffer.from(buffer, byteOffset, byteLength);
