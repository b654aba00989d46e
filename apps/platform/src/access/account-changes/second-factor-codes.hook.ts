import { requirement } from '../../kit/hooks.ts';

/** Checks the codes of second factors, for changes that the password alone must not make. */
export interface SecondFactorCodes {
  /** Refuses a missing or a wrong code of an account whose second factor is on, and uses a right one up. */
  requireCode(attempt: { user_id: string; address: string; code?: string | undefined }): Promise<void>;
}
export const SECOND_FACTOR_CODES = requirement<SecondFactorCodes>('codes of second factors');
