import { SIGN_IN_MINUTES } from '@codase/contracts';
import { readSecretCookie, secretCookie } from '../../kit/pages/cookies.ts';

/** Each sign-in has a cookie of its own: several may wait in one browser. */
const cookieName = (sign_in: string): string => `codase_sign_in_${sign_in}`;

/** Returns the cookie that keeps the code of a sign-in, which waits for the phone, in the browser that began it. @gap D1-4.6 */
export const waitingCookie = (sign_in: string, code: string, isSecure: boolean): string =>
  secretCookie(cookieName(sign_in), code, { seconds: SIGN_IN_MINUTES * 60, isSecure });

/** Returns the code of a sign-in in the cookies of a request, if they have it. */
export const readWaiting = (cookies: string | undefined, sign_in: string): string | undefined =>
  readSecretCookie(cookies, cookieName(sign_in));
