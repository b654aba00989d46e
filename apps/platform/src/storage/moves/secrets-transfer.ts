import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { writingKey, type KeyList } from '../../kit/secrets/key-list.ts';
import { decrypt, encrypt, type StoredSecrets } from '../../kit/secrets/stored-secrets.ts';

/**
 * Transfers stored secrets to another region. Each region has a key of its own for them, so the old region seals them to a public key of
 * the new region (X25519, HKDF, AES-256-GCM). The new region derives this key pair from its own key, so that any of its replicas can open
 * the secrets, at any time. @gap D1-5.6
 */

/** The prefix of secrets that are sealed for a transfer. */
const ON_THE_WAY = 'move';
/** The DER of an X25519 private key, without its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** Returns the public key that other regions seal to. */
export const transferKey = (keys: KeyList): string =>
  createPublicKey(privateKey(writingKey(keys).key))
    .export({ type: 'spki', format: 'der' })
    .toString('base64url');

/** Opens stored secrets, and seals them to the public key of another region. */
export function sealForTransfer(stored: StoredSecrets, sealed: string, owner_id: string, public_key: string): string {
  const secrets = JSON.stringify(stored.open(sealed, owner_id));
  const once = generateKeyPairSync('x25519');
  const sender = once.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  return `${ON_THE_WAY}:${sender}:${encrypt(sharedKey(once.privateKey, readPublic(public_key)), secrets, owner_id)}`;
}

/** Opens secrets that came from another region, and seals them with the key of this region. */
export function storeTransferred(stored: StoredSecrets, sealed: string, owner_id: string): string {
  const [form, sender = '', text = ''] = sealed.split(':');
  // A region of an older version sends the secrets as they are stored, under a key that both regions share.
  if (form !== ON_THE_WAY) return stored.seal(stored.open(sealed, owner_id), owner_id);
  for (const { key } of stored.keys.current) {
    const opened = decrypt(sharedKey(privateKey(key), readPublic(sender)), text, owner_id);
    if (opened !== undefined) return stored.seal(JSON.parse(opened) as Record<string, string>, owner_id);
  }
  throw new Error(`the secrets of ${owner_id} that came from another region do not open with any key of this one`);
}

const derived = (key: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `company-data-service ${purpose}`, 32));

const privateKey = (key: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, derived(key, 'transfer key')]), format: 'der', type: 'pkcs8' });

const sharedKey = (own: KeyObject, other: KeyObject): Buffer =>
  derived(diffieHellman({ privateKey: own, publicKey: other }), 'transferred secrets');

const readPublic = (text: string): KeyObject => createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' });
