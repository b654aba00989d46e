import { decodeSized, encodeBase64 } from './base64.ts';
import { concatBytes, fromHex, sameBytes, type Bytes } from './bytes.ts';
import { sha256Hex } from './digests.ts';
import { Malformed, refusing } from './refusal.ts';

// Only the modulus differs in the DER of an RSA-2048 SubjectPublicKeyInfo with exponent 65537, so no parser is needed:
// SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING { SEQUENCE { INTEGER modulus, INTEGER 65537 } } }.
const BEFORE_MODULUS = fromHex('30820122300d06092a864886f70d01010105000382010f003082010a0282010100');
const MODULUS_BYTES = 256;
const AFTER_MODULUS = fromHex('0203010001');
const SPKI_BYTES = BEFORE_MODULUS.length + MODULUS_BYTES + AFTER_MODULUS.length;

/** Returns the DER of a public_key. Refuses every other kind of key, encoding and curve. @spec D1-2.4 */
export function readPublicKey(public_key: string): Promise<Bytes> {
  return refusing('public_key', () => checkedSpki(decodeSized(public_key, SPKI_BYTES)));
}

/** Returns the public_key of a modulus. The bytes around the modulus are the same for every key. */
export function writePublicKey(modulus: Bytes): string {
  return encodeBase64(concatBytes(BEFORE_MODULUS, modulus, AFTER_MODULUS));
}

/** Returns the SHA-256 of the DER public key in lowercase hex: recipient_pubkey_sha256, public_key_sha256. @spec D2-4.1 */
export async function publicKeySha256(public_key: string): Promise<string> {
  return sha256Hex(await readPublicKey(public_key));
}

function checkedSpki(der: Bytes): Bytes {
  const modulusEnd = BEFORE_MODULUS.length + MODULUS_BYTES;
  const modulus = der.subarray(BEFORE_MODULUS.length, modulusEnd);
  if (!sameBytes(der.subarray(0, BEFORE_MODULUS.length), BEFORE_MODULUS)) throw new Malformed();
  if (!sameBytes(der.subarray(modulusEnd), AFTER_MODULUS)) throw new Malformed();
  // The modulus must have exactly 2048 bits and be odd, as a product of two odd primes is.
  if (modulus[0]! < 0x80 || modulus[MODULUS_BYTES - 1]! % 2 === 0) throw new Malformed();
  return der;
}
