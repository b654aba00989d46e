import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/**
 * A provider whose codes end when the password, the address or the second factor of an account changes: somebody else may have asked for
 * them, or read the old mailbox.
 */
export interface CredentialsChanged {
  /** Returns how many mailed codes ended. */
  credentialsChanged(tx: EntityManager, user_id: string): Promise<number>;
}
export const CREDENTIALS_CHANGED = hook<CredentialsChanged>('the password, the address or the second factor of an account changed');

/** Ends what was begun with the credentials of before, in the transaction of their change. Returns how many mailed codes ended. */
export async function endPending(hooks: readonly CredentialsChanged[], tx: EntityManager, user_id: string): Promise<number> {
  let ended = 0;
  for (const hook of hooks) ended += await hook.credentialsChanged(tx, user_id);
  return ended;
}
