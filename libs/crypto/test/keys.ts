import { readFileSync } from 'node:fs';
import { constants, createCipheriv, createPrivateKey, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';
import type { Vectors } from './vectors/vectors.ts';

/** The checked-in vectors, which OpenSSL made and opened. */
export const vectors: Vectors = JSON.parse(readFileSync(new URL('./vectors/openssl.json', import.meta.url), 'utf8'));

/** The key of the vectors: it protects nothing. */
export const { public_key, passphrase } = vectors.key;
const privateKey = createPrivateKey({ key: vectors.pems['with the fewest iterations'], format: 'pem', passphrase });
export const pkcs8 = new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' }));

/** The key of another owner. */
export const other = vectors.openedByOpenssl.serviceKey;

interface Forgery {
  recipient?: string;
  oaepHash?: 'sha1' | 'sha256';
  aesKey?: Buffer;
  plaintext?: string | Buffer;
  /** Changes the members just before they are written. */
  change?: (members: Record<string, unknown>) => unknown;
}

/** An envelope to the test key made with node:crypto, so that it can be wrong in one chosen way. */
export function forge({ recipient = public_key, oaepHash = 'sha256', change, ...given }: Forgery): string {
  const { aesKey = randomBytes(32), plaintext = 'Ada' } = given;
  const key = createPublicKey({ key: Buffer.from(recipient, 'base64'), format: 'der', type: 'spki' });
  const k = publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, aesKey);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.concat([aesKey, Buffer.alloc(32)]).subarray(0, 32), iv);
  const d = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  const members = { _enc: 1, k: k.toString('base64'), iv: iv.toString('base64'), d: d.toString('base64') };
  return JSON.stringify(change ? change(members) : members);
}

/** The same base64 with one bit of its bytes flipped. */
export function flipBit(base64: string, bit: number): string {
  const bytes = Buffer.from(base64, 'base64');
  const at = Math.floor(bit / 8) % bytes.length;
  bytes[at] = bytes[at]! ^ (1 << (bit % 8));
  return bytes.toString('base64');
}
