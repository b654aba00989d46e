import { createHash } from 'node:crypto';
import { readSecretCookie, secretCookie } from '../../kit/pages/cookies.ts';

/** Returns the name of the cookie of an account: accounts that share a browser do not overwrite each other's trust. */
const cookieName = (user_id: string): string => `codase_trusted_${createHash('sha256').update(user_id).digest('hex').slice(0, 16)}`;

/** Returns the cookie that a trusted browser keeps. @gap D1-5.8 */
export const trustCookie = (user_id: string, token: string, options: { seconds: number; isSecure: boolean }): string =>
  secretCookie(cookieName(user_id), token, options);

/** Returns the secret of a trusted browser in the cookies of a request, if they have one for this account. */
export const readTrust = (cookies: string | string[] | undefined, user_id: string): string | undefined =>
  readSecretCookie(cookies, cookieName(user_id));
