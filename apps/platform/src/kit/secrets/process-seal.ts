import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/**
 * Seals a secret that is sent over the bus to one process, so that this process alone can read it: a password for the front door, the token
 * of a plugin for the forwarder. The process makes its key when it starts, so nothing is configured, stored or rotated.
 */

const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** The IV may be the same for all messages, because each message has a key of its own that is used once. */
const IV = Buffer.alloc(12);

export interface SealingKey {
  /** X25519, base64url. */
  public_key: string;
  privateKey: KeyObject;
}

export function newSealingKey(): SealingKey {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { public_key: rawOf(publicKey).toString('base64url'), privateKey };
}

/** The use and the owner of a secret. It cannot be opened for another use or another owner. */
export interface SealedFor {
  use: string;
  owner_id: string;
}

/** Seals a secret to a key: X25519 with a key pair for this message alone, HKDF-SHA256, AES-256-GCM. */
export function sealToProcess(public_key: string, { use, owner_id }: SealedFor, secret: string): string {
  const own = generateKeyPairSync('x25519');
  const ephemeral = rawOf(own.publicKey);
  const recipient = Buffer.from(public_key, 'base64url');
  const key = keyOf({ privateKey: own.privateKey, publicKey: keyFrom(recipient) }, Buffer.concat([ephemeral, recipient]), use);
  const cipher = createCipheriv('aes-256-gcm', key, IV).setAAD(Buffer.from(owner_id));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([ephemeral, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Returns the secret; undefined when it was sealed to another key, for another use or owner, or not at all. */
export function openAtProcess({ public_key, privateKey }: SealingKey, { use, owner_id }: SealedFor, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < KEY_BYTES + TAG_BYTES) return undefined;
  const ephemeral = bytes.subarray(0, KEY_BYTES);
  try {
    const salt = Buffer.concat([ephemeral, Buffer.from(public_key, 'base64url')]);
    const key = keyOf({ privateKey, publicKey: keyFrom(ephemeral) }, salt, use);
    const decipher = createDecipheriv('aes-256-gcm', key, IV, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(owner_id))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(KEY_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // an invalid public key or a wrong tag: the caller does not learn which
  }
}

function keyOf(pair: { privateKey: KeyObject; publicKey: KeyObject }, salt: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', diffieHellman(pair), salt, use, 32));
}

const rawOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
const keyFrom = (raw: Buffer) => createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
