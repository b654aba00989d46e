import { encodeBase64 } from './base64.ts';
import { fromHex, type Bytes } from './bytes.ts';
import { der, derInteger, TAG } from './der.ts';
import { deriveKey, PBKDF2_ITERATIONS, PBKDF2_SALT_BYTES } from './pbkdf2.ts';
import { randomBytes } from './random.ts';

/** The object identifiers of the only scheme in use: PBES2 with PBKDF2-HMAC-SHA256 and AES-256-CBC. @spec D1-2.3 */
export const OID = {
  pbes2: fromHex('2a864886f70d01050d'),
  pbkdf2: fromHex('2a864886f70d01050c'),
  hmacWithSha256: fromHex('2a864886f70d0209'),
  aes256Cbc: fromHex('60864801650304012a'),
} as const;

export const CBC_IV_BYTES = 16;
export const PEM_BEGIN = '-----BEGIN ENCRYPTED PRIVATE KEY-----';
export const PEM_END = '-----END ENCRYPTED PRIVATE KEY-----';

/** Returns the encrypted PKCS#8 PEM of a private key, as the portal offers it for download. @spec D1-2.3 @gap D1-2.3 */
export async function writePrivateKeyPem(pkcs8: Bytes, passphrase: string): Promise<string> {
  const salt = randomBytes(PBKDF2_SALT_BYTES);
  const iv = randomBytes(CBC_IV_BYTES);
  const derived = await deriveKey(passphrase, salt, PBKDF2_ITERATIONS);
  const key = await crypto.subtle.importKey('raw', derived, 'AES-CBC', false, ['encrypt']).finally(() => derived.fill(0));
  const data = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, pkcs8));
  return armored(der(TAG.sequence, pbes2(salt, iv), der(TAG.octets, data)));
}

function pbes2(salt: Bytes, iv: Bytes): Bytes {
  const prf = der(TAG.sequence, der(TAG.oid, OID.hmacWithSha256), der(TAG.null));
  const kdf = der(TAG.sequence, der(TAG.octets, salt), derInteger(PBKDF2_ITERATIONS), prf);
  const parameters = der(
    TAG.sequence,
    der(TAG.sequence, der(TAG.oid, OID.pbkdf2), kdf),
    der(TAG.sequence, der(TAG.oid, OID.aes256Cbc), der(TAG.octets, iv)),
  );
  return der(TAG.sequence, der(TAG.oid, OID.pbes2), parameters);
}

function armored(bytes: Bytes): string {
  const lines = encodeBase64(bytes).match(/.{1,64}/g)!;
  return [PEM_BEGIN, ...lines, PEM_END, ''].join('\n');
}
