import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const STORED_SECRETS = Symbol('StoredSecrets');

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Secrets that must be read again to be used, such as those of a webhook: at rest they are encrypted with AES-256-GCM under a key that is
 * not in the database. Each is bound to its owner's id, so that no row can be given another's. @spec D1-2.9 @gap D1-2.9
 */
export class StoredSecrets {
  private readonly key: Buffer;
  /** The id of the key, by which a value that was written under a later one is recognised. */
  private readonly keyId = '1';

  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new Error(`STORED_SECRETS_KEY has ${key.length} bytes: give ${KEY_BYTES} random ones in base64`);
    this.key = key;
  }

  seal(secrets: Readonly<Record<string, string>>, owner_id: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(owner_id));
    const data = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
    return `${this.keyId}:${Buffer.concat([iv, data, cipher.getAuthTag()]).toString('base64url')}`;
  }

  open(sealed: string, owner_id: string): Record<string, string> {
    try {
      return this.opened(sealed, owner_id);
    } catch {
      // Without the cause: it might tell of what was inside.
      throw new Error(`the stored secrets of ${owner_id} do not open: is STORED_SECRETS_KEY the one they were written with?`);
    }
  }

  private opened(sealed: string, owner_id: string): Record<string, string> {
    const [keyId, text = ''] = sealed.split(':');
    if (keyId !== this.keyId) throw new Error('written under another key');
    const bytes = Buffer.from(text, 'base64url');
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner_id)).setAuthTag(bytes.subarray(end));
    const data = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]);
    return JSON.parse(data.toString('utf8')) as Record<string, string>;
  }
}
