import type { EntityManager } from 'typeorm';
import { requirement } from '../../../kit/hooks.ts';

/** Checks the codes of second factors, for changes that the password alone must not make. */
export interface SecondFactorCodes {
  /** Whether the second factor of an account is on, as the transaction of the caller sees it if there is one. */
  isOn(user_id: string, tx?: EntityManager): Promise<boolean>;
  /**
   * Refuses a missing or a wrong code of an account whose second factor is on, and uses a right one up. Returns whether a code was checked.
   */
  requireCode(attempt: { user_id: string; address: string; code?: string | undefined }): Promise<boolean>;
}
export const SECOND_FACTOR_CODES = requirement<SecondFactorCodes>('codes of second factors');
