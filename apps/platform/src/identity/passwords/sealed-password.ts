import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** A password on its way from a region to one process of the front door: no other role, and not the bus, can read it. */

const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** A key of its own for each message is used once, so that its IV may be the same. */
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

/** Seals a password of a user to a key: X25519 with a key pair for this message alone, HKDF-SHA256, AES-256-GCM. */
export function sealPassword(public_key: string, user_id: string, password: string): string {
  const own = generateKeyPairSync('x25519');
  const ephemeral = rawOf(own.publicKey);
  const recipient = Buffer.from(public_key, 'base64url');
  const key = keyOf(own.privateKey, keyFrom(recipient), ephemeral, recipient);
  const cipher = createCipheriv('aes-256-gcm', key, IV).setAAD(Buffer.from(user_id));
  const sealed = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
  return Buffer.concat([ephemeral, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** The password, or undefined when it was sealed to another key, for another user, or not at all. */
export function openPassword({ public_key, privateKey }: SealingKey, user_id: string, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < KEY_BYTES + TAG_BYTES) return undefined;
  const ephemeral = bytes.subarray(0, KEY_BYTES);
  try {
    const key = keyOf(privateKey, keyFrom(ephemeral), ephemeral, Buffer.from(public_key, 'base64url'));
    const decipher = createDecipheriv('aes-256-gcm', key, IV, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(user_id))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(KEY_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // a point that is none, or a tag that does not fit: which of them is nobody's business
  }
}

function keyOf(privateKey: KeyObject, publicKey: KeyObject, ephemeral: Buffer, recipient: Buffer): Buffer {
  const shared = diffieHellman({ privateKey, publicKey });
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([ephemeral, recipient]), 'cds password check', 32));
}

const rawOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
const keyFrom = (raw: Buffer) => createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
