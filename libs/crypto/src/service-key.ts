import { sealGcm } from './aes-gcm.ts';
import { encodeBase64 } from './base64.ts';
import type { Bytes, CryptoKey } from './bytes.ts';
import { deriveKey, PBKDF2_ITERATIONS, PBKDF2_SALT_BYTES } from './pbkdf2.ts';
import { writePrivateKeyPem } from './pem.ts';
import { randomBytes } from './random.ts';
import { secretBytes } from './text.ts';

const PASSPHRASE_BYTES = 32;

/** A private key that only its passphrase opens. The server may hold it. @spec D1-2.4 */
export interface EncryptedPrivateKey {
  iter: number;
  salt: string;
  iv: string;
  data: string;
}

/** The key that is sent to the server when a service is created. @spec D1-2.4 */
export interface ProtectedKey {
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey;
}

/** A new service key: the part that is sent, and the passphrase and PEM that stay. One passphrase opens both forms. @gap D1-2.4 */
export interface ServiceKey extends ProtectedKey {
  passphrase: string;
  pem: string;
}

/** Creates a service key by the recipe of the specification. @spec D1-2.4 */
export async function createServiceKey(): Promise<ServiceKey> {
  const passphrase = encodeBase64(randomBytes(PASSPHRASE_BYTES));
  const { public_key, pkcs8 } = await createKeyPair();
  const forms = Promise.all([encryptPrivateKey(pkcs8, passphrase), writePrivateKeyPem(pkcs8, passphrase)]);
  const [encrypted_private_key, pem] = await forms.finally(() => pkcs8.fill(0));
  return { public_key, encrypted_private_key, passphrase, pem };
}

/** Creates the key pair of a person's or company's account by the same recipe, under a passphrase that its owner chose. @gap D1-2.4 */
export async function createAccountKey(passphrase: string): Promise<ProtectedKey> {
  secretBytes(passphrase); // a bad passphrase is refused before the long search for primes
  const { public_key, pkcs8 } = await createKeyPair();
  return { public_key, encrypted_private_key: await encryptPrivateKey(pkcs8, passphrase).finally(() => pkcs8.fill(0)) };
}

async function createKeyPair(): Promise<{ public_key: string; pkcs8: Bytes }> {
  const { public_key, privateKey } = await generateKeyPair({ extractable: true });
  return { public_key, pkcs8: new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)) };
}

async function encryptPrivateKey(pkcs8: Bytes, passphrase: string): Promise<EncryptedPrivateKey> {
  const salt = randomBytes(PBKDF2_SALT_BYTES);
  const derived = await deriveKey(passphrase, salt, PBKDF2_ITERATIONS);
  const { iv, data } = await sealGcm(derived, pkcs8).finally(() => derived.fill(0));
  return { iter: PBKDF2_ITERATIONS, salt: encodeBase64(salt), iv: encodeBase64(iv), data: encodeBase64(data) };
}

/** Generates a key pair by the recipe: RSA-OAEP, 2048 bit, public exponent 65537, SHA-256. @spec D1-2.4 */
export async function generateKeyPair({ extractable }: { extractable: boolean }): Promise<{ public_key: string; privateKey: CryptoKey }> {
  const publicExponent = new Uint8Array([1, 0, 1]);
  const recipe = { name: 'RSA-OAEP', modulusLength: 2048, publicExponent, hash: 'SHA-256' };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(recipe, extractable, ['encrypt', 'decrypt']);
  const spki = await crypto.subtle.exportKey('spki', publicKey);
  return { public_key: encodeBase64(new Uint8Array(spki)), privateKey };
}
