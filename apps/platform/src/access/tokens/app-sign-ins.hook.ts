import { hook } from '../../kit/hooks.ts';

/** What a sign-in app gets when it exchanges its code. */
export interface AppAnswer {
  /** The id of the person for this company alone: no other company gets the same. */
  subject: string;
  /** Says to the app who signed in. */
  id_token: string;
  /** The values of the claims, by their slugs; undefined when the app has none. */
  claim_values: Record<string, string> | undefined;
}

/** A code that an app has exchanged, with the session that it began. */
export interface ExchangedCode {
  client_id: string;
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
