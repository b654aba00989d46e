import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { writingKey, type KeyList } from '../key-list.ts';
import { decrypt, encrypt, type StoredSecrets } from '../stored-secrets.ts';

/**
 * Stored secrets on their way to another region. Each region has a key of its own for them, so the old one seals them to a public key of
 * the new one (X25519, HKDF, AES-256-GCM), which it derives from its key: any of its replicas can open them, at any time. @gap D1-5.6
 */

/** What stands before secrets that are on their way. */
const ON_THE_WAY = 'move';
/** A private key of X25519 in DER, without its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The public key that other regions seal to. */
export const transferKey = (keys: KeyList): string =>
  createPublicKey(privateKey(writingKey(keys).key))
    .export({ type: 'spki', format: 'der' })
    .toString('base64url');

/** Stored secrets, sealed to the public key of another region. */
export function sealForTransfer(stored: StoredSecrets, sealed: string, owner_id: string, public_key: string): string {
  const secrets = JSON.stringify(stored.open(sealed, owner_id));
  const once = generateKeyPairSync('x25519');
  const sender = once.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  return `${ON_THE_WAY}:${sender}:${encrypt(sharedKey(once.privateKey, readPublic(public_key)), secrets, owner_id)}`;
}

/** Secrets that have come from another region, stored as our own. */
export function storeTransferred(stored: StoredSecrets, sealed: string, owner_id: string): string {
  const [form, sender = '', text = ''] = sealed.split(':');
  // An older version of the other region sends them as they are, under a key that it shares with us.
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
