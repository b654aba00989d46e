import type { ClientRow } from './client-row.ts';

/** What a base can do about a secret whose hash is not of the newest form. */
export interface SecretHashes {
  /** Whether it is the secret of a client whose hash the verifiers cannot check. Refuses where only another base can tell. */
  provesOldForm(client: ClientRow, secret: string): Promise<boolean>;
  /** A secret that fits was hashed with an older pepper: it is hashed anew. */
  hashAnew(client_id: string, digest: string): Promise<void>;
}
export const SECRET_HASHES = Symbol('SecretHashes');
