import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { writingKey, type KeyList, type ListedKey } from './key-list.ts';

export const STORED_SECRETS = Symbol('StoredSecrets');

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The prefix of secrets from the time when all regions had one key, which had no id. */
const WITHOUT_ID = '1';

/**
 * Encrypts secrets that the platform must read again to use them, such as those of a webhook, with AES-256-GCM. The key belongs to the
 * base, a region or the front door, and is not in the database. Each secret is bound to its owner's id, so that it cannot be used in the
 * row of another owner.
 * @spec D1-2.9 @gap D1-2.9
 */
export class StoredSecrets {
  constructor(readonly keys: KeyList) {}

  seal(secrets: Readonly<Record<string, string>>, owner_id: string): string {
    const { id, key } = writingKey(this.keys);
    return `${id}:${encrypt(key, JSON.stringify(secrets), owner_id)}`;
  }

  open(sealed: string, owner_id: string): Record<string, string> {
    const opened = this.tryOpen(sealed, owner_id);
    if (opened) return opened;
    // The error has no cause, because a cause might reveal some of the content.
    throw new Error(`the stored secrets of ${owner_id} do not open: is STORED_SECRETS_KEY the one they were written with?`);
  }

  /** Returns the secrets; undefined when no key opens them. */
  tryOpen(sealed: string, owner_id: string): Record<string, string> | undefined {
    const [id, text = ''] = sealed.split(':');
    for (const { key } of this.keys.current.filter((one) => id === one.id || id === WITHOUT_ID)) {
      const opened = decrypt(key, text, owner_id);
      if (opened !== undefined) return JSON.parse(opened) as Record<string, string>;
    }
    return undefined;
  }

  /** Whether the secrets were written with the key that writes now. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${writingKey(this.keys).id}:`);
  }
}

export function encrypt(key: ListedKey['key'], text: string, bound: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, data, cipher.getAuthTag()]).toString('base64url');
}

/** Returns the text; undefined when it was not written with this key for this owner. */
export function decrypt(key: ListedKey['key'], text: string, bound: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const end = bytes.length - TAG_BYTES;
  if (end < IV_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(bound)).setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
