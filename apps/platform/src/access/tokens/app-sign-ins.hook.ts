import { hook } from '../../kit/hooks.ts';

/** What a sign-in app gets when it exchanges its code. */
export interface AppAnswer {
  /** The id of the person for this company alone: no other company gets the same. */
  subject: string;
  signed_in_at: Date;
  nonce: string | null;
  /** The values of the claims, by their slugs; undefined when the app has none. */
  claim_values: Record<string, string> | undefined;
}

/** A code that an app has exchanged, with the session that it began. */
export interface ExchangedCode {
  company_user_id: string;
  session_id: string;
  user_id: string;
  code: string;
}

/** Knows what sign-in apps get of the people who sign in. Only the front door has it, so it is a hook and no requirement. */
export interface AppSignIns {
  /** Returns what the app gets, once. Refuses a code that is not to be exchanged yet. */
  take(exchanged: ExchangedCode): Promise<AppAnswer>;
}
export const APP_SIGN_INS = hook<AppSignIns>('sign-ins with apps');
