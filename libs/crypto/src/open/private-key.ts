import { fromHex, sameBytes, type Bytes } from '../bytes.ts';
import { DerReader, TAG } from '../der.ts';
import { PRIVATE_KEY_BYTES } from '../limits.ts';
import { Malformed, refusing } from '../refusal.ts';
import { readPublicKey, writePublicKey } from '../spki.ts';

// OBJECT IDENTIFIER rsaEncryption, NULL
const RSA_ALGORITHM = fromHex('06092a864886f70d0101010500');
const MODULUS_OCTETS = 257; // 2048 bits and the zero that keeps the INTEGER positive
const PUBLIC_EXPONENT = 65537;

/** Returns the public_key of a private key, to find out whether a PEM belongs to a service. @spec D1-2.4 */
export function publicKeyOf(pkcs8: Bytes): Promise<string> {
  return refusing('private_key', () => writePublicKey(modulusOf(pkcs8)));
}

/** Returns the same bytes if they are exactly the PKCS#8 DER of an RSA-2048 key with exponent 65537. Throws otherwise. @spec D1-2.4 */
export function checkedPrivateKey(pkcs8: Bytes): Bytes {
  modulusOf(pkcs8);
  return pkcs8;
}

/** Returns the bytes if the private key decrypts what its public half encrypts: a bit may have changed. Else zeroes and throws. */
export async function provenPrivateKey(pkcs8: Bytes): Promise<Bytes> {
  try {
    await prove(pkcs8);
    return pkcs8;
  } catch (error) {
    pkcs8.fill(0);
    throw error;
  }
}

async function prove(pkcs8: Bytes): Promise<void> {
  const oaep = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const spki = await readPublicKey(writePublicKey(modulusOf(pkcs8)));
  const publicKey = await crypto.subtle.importKey('spki', spki, oaep, false, ['encrypt']);
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, oaep, false, ['decrypt']);
  // OAEP checks its own padding: if the private key does not belong to the public key, this throws.
  await crypto.subtle.decrypt('RSA-OAEP', privateKey, await crypto.subtle.encrypt('RSA-OAEP', publicKey, new Uint8Array()));
}

function modulusOf(pkcs8: Bytes): Bytes {
  if (pkcs8.length > PRIVATE_KEY_BYTES) throw new Malformed();
  const whole = new DerReader(pkcs8);
  const info = whole.enter(TAG.sequence);
  whole.end();
  if (info.takeInteger() !== 0) throw new Malformed();
  if (!sameBytes(info.take(TAG.sequence), RSA_ALGORITHM)) throw new Malformed();
  const octets = info.enter(TAG.octets);
  info.end();
  const rsaKey = octets.enter(TAG.sequence);
  octets.end();
  return rsaModulus(rsaKey);
}

function rsaModulus(rsaKey: DerReader): Bytes {
  if (rsaKey.takeInteger() !== 0) throw new Malformed();
  const modulus = rsaKey.take(TAG.integer);
  if (modulus.length !== MODULUS_OCTETS || modulus[0] !== 0 || modulus[1]! < 0x80) throw new Malformed();
  if (rsaKey.takeInteger() !== PUBLIC_EXPONENT) throw new Malformed();
  return modulus.slice(1);
}
