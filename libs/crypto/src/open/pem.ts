import { decodeBase64 } from '../base64.ts';
import { sameBytes, type Bytes } from '../bytes.ts';
import { DerReader, TAG } from '../der.ts';
import { PRIVATE_KEY_BYTES } from '../limits.ts';
import { deriveKey, type Passphrase } from '../pbkdf2.ts';
import { CBC_IV_BYTES, OID, PEM_BEGIN, PEM_END } from '../pem.ts';
import { Malformed, refusing } from '../refusal.ts';
import { provenPrivateKey } from './private-key.ts';

/** Bounds of PBKDF2. Fewer iterations give no protection; more would let a crafted file keep a core busy for minutes. @gap D1-2.3 */
const MIN_ITERATIONS = 1_000;
const MAX_ITERATIONS = 10_000_000;
const MIN_SALT_BYTES = 8;
const MAX_SALT_BYTES = 64;
const AES_256_KEY_BYTES = 32;
const PEM_CHARS = 2 * PRIVATE_KEY_BYTES;

interface Encryption {
  salt: Bytes;
  iterations: number;
  iv: Bytes;
  data: Bytes;
}

/** Returns the PKCS#8 DER in an encrypted PEM, ready to import. The caller zeroes it after that. @spec D1-2.3 @gap D1-2.3 */
export function readPrivateKeyPem(pem: string, passphrase: Passphrase): Promise<Bytes> {
  return refusing('private_key', async () => {
    const { salt, iterations, iv, data } = readEncryption(unarmored(pem));
    const derived = await deriveKey(passphrase, salt, iterations);
    const key = await crypto.subtle.importKey('raw', derived, 'AES-CBC', false, ['decrypt']).finally(() => derived.fill(0));
    return provenPrivateKey(new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, key, data)));
  });
}

function unarmored(pem: string): Bytes {
  if (pem.length > PEM_CHARS) throw new Malformed();
  const lines = pem.trim().split(/\r?\n/);
  if (lines.shift() !== PEM_BEGIN || lines.pop() !== PEM_END) throw new Malformed();
  return decodeBase64(lines.join(''));
}

function readEncryption(bytes: Bytes): Encryption {
  const whole = new DerReader(bytes);
  const info = whole.enter(TAG.sequence);
  whole.end();
  const parameters = algorithmParameters(info.enter(TAG.sequence), OID.pbes2);
  const data = info.take(TAG.octets);
  info.end();
  const kdf = readPbkdf2(algorithmParameters(parameters.enter(TAG.sequence), OID.pbkdf2));
  const iv = readCbcIv(parameters.enter(TAG.sequence));
  parameters.end();
  return { ...kdf, iv, data };
}

function readPbkdf2(parameters: DerReader): { salt: Bytes; iterations: number } {
  const salt = parameters.take(TAG.octets);
  const iterations = parameters.takeInteger();
  // The key length is optional, and some writers give it.
  if (parameters.sees(TAG.integer) && parameters.takeInteger() !== AES_256_KEY_BYTES) throw new Malformed();
  readPrf(parameters.enter(TAG.sequence));
  parameters.end();
  if (salt.length < MIN_SALT_BYTES || salt.length > MAX_SALT_BYTES) throw new Malformed();
  if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) throw new Malformed();
  return { salt, iterations };
}

/** Requires SHA-256 by name, because PBKDF2's own default is SHA-1. */
function readPrf(algorithm: DerReader): void {
  takeOid(algorithm, OID.hmacWithSha256);
  if (algorithm.take(TAG.null).length !== 0) throw new Malformed();
  algorithm.end();
}

function readCbcIv(algorithm: DerReader): Bytes {
  takeOid(algorithm, OID.aes256Cbc);
  const iv = algorithm.take(TAG.octets);
  algorithm.end();
  if (iv.length !== CBC_IV_BYTES) throw new Malformed();
  return iv;
}

function algorithmParameters(algorithm: DerReader, oid: Bytes): DerReader {
  takeOid(algorithm, oid);
  const parameters = algorithm.enter(TAG.sequence);
  algorithm.end();
  return parameters;
}

function takeOid(algorithm: DerReader, oid: Bytes): void {
  if (!sameBytes(algorithm.take(TAG.oid), oid)) throw new Malformed();
}
