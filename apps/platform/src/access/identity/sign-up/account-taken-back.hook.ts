import type { EntityManager } from 'typeorm';
import { hook } from '../../../kit/hooks.ts';

/** A provider that removes what a region may have of an account whose sign-up failed, in the transaction that removes the account. */
export interface AccountTakenBack {
  accountTakenBack(tx: EntityManager, user_id: string, now: Date): Promise<unknown>;
}
export const ACCOUNT_TAKEN_BACK = hook<AccountTakenBack>('an account was taken back');
