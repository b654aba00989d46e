import type { EntityManager } from 'typeorm';
import { hook, requirement } from '../../kit/hooks.ts';

/** A provider whose codes end with a change of password or address: somebody else may have asked for them, or read the old mailbox. */
export interface CredentialsChanged {
  credentialsChanged(tx: EntityManager, user_id: string): Promise<unknown>;
}
export const CREDENTIALS_CHANGED = hook<CredentialsChanged>('the password or the address of an account changed');

/** Checks the codes of second factors, for changes that the password alone must not make. */
export interface SecondFactorCodes {
  /** Refuses a missing or a wrong code of an account whose second factor is on, and uses a right one up. */
  requireCode(attempt: { user_id: string; address: string; code?: string | undefined }): Promise<void>;
}
export const SECOND_FACTOR_CODES = requirement<SecondFactorCodes>('codes of second factors');
