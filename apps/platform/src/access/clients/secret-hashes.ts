import type { ClientRow } from './client-row.ts';

/** What a base can do about a secret whose hash is not of the newest form. */
export interface SecretHashes {
  /** Whether the secret is that of a client whose hash the verifiers cannot check. Refuses when only another base can check it. */
  provesOldForm(client: ClientRow, secret: string): Promise<boolean>;
  /** Hashes a valid secret again that was hashed under an older pepper. */
  hashAnew(client_id: string, digest: string): Promise<void>;
}
export const SECRET_HASHES = Symbol('SecretHashes');
