import { GCM_IV_BYTES, GCM_TAG_BYTES, openGcm } from '../aes-gcm.ts';
import { decodeSized } from '../base64.ts';
import type { Bytes } from '../bytes.ts';
import { PRIVATE_KEY_BYTES } from '../limits.ts';
import { deriveKey, type Passphrase, PBKDF2_ITERATIONS, PBKDF2_SALT_BYTES } from '../pbkdf2.ts';
import { Malformed, refusing } from '../refusal.ts';
import type { EncryptedPrivateKey } from '../service-key.ts';
import { checkedPrivateKey } from './private-key.ts';

const MEMBERS = 4;

/** Returns the PKCS#8 DER in an encrypted_private_key, ready to import. @spec D1-2.4 @gap D1-2.4 */
export function openEncryptedPrivateKey(encrypted: EncryptedPrivateKey, passphrase: Passphrase): Promise<Bytes> {
  return refusing('private_key', async () => {
    const { salt, iv, data } = readMembers(encrypted);
    const derived = await deriveKey(passphrase, salt, PBKDF2_ITERATIONS);
    return checkedPrivateKey(await openGcm(derived, iv, data).finally(() => derived.fill(0)));
  });
}

function readMembers(encrypted: EncryptedPrivateKey): { salt: Bytes; iv: Bytes; data: Bytes } {
  const { iter, salt, iv, data } = encrypted;
  if (Object.keys(encrypted).length !== MEMBERS || iter !== PBKDF2_ITERATIONS) throw new Malformed();
  return {
    salt: decodeSized(salt, PBKDF2_SALT_BYTES),
    iv: decodeSized(iv, GCM_IV_BYTES),
    data: decodeSized(data, GCM_TAG_BYTES, GCM_TAG_BYTES + PRIVATE_KEY_BYTES),
  };
}
