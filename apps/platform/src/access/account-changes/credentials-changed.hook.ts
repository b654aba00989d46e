import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/**
 * A provider whose codes count no more when the password or the address of their account changes: somebody else may have asked for them, or
 * may read the old mailbox.
 */
export interface CredentialsChanged {
  credentialsChanged(tx: EntityManager, user_id: string): Promise<unknown>;
}
export const CREDENTIALS_CHANGED = hook<CredentialsChanged>('the password or the address of an account changed');
