import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A provider whose codes end with a change of password or address: somebody else may have asked for them, or read the old mailbox. */
export interface CredentialsChanged {
  credentialsChanged(tx: EntityManager, user_id: string): Promise<unknown>;
}
export const CREDENTIALS_CHANGED = hook<CredentialsChanged>('the password or the address of an account changed');
