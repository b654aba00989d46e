import { createHash } from 'node:crypto';
import { identity } from '@cds/contracts';

/** How much of a request's cookies is looked at: browsers send at most some kilobytes to one host. */
const MOST_CHARACTERS = 16_384;

/** Returns the name of the cookie of an account: accounts that share a browser do not overwrite each other's trust. */
const cookieName = (user_id: string): string => `cds_trusted_${createHash('sha256').update(user_id).digest('hex').slice(0, 16)}`;

/** Returns the cookie that a trusted browser keeps: for the sign-in page of this host alone, and out of reach of scripts. @gap D1-5.8 */
export function trustCookie(user_id: string, token: string, { seconds, isSecure }: { seconds: number; isSecure: boolean }): string {
  const parts = [`${cookieName(user_id)}=${token}`, `Path=${identity.authorize.path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Returns the secret of a trusted browser in the cookies of a request, if they have one for this account. */
export function readTrust(cookies: string | string[] | undefined, user_id: string): string | undefined {
  const text = [cookies ?? []].flat().join('; ').slice(0, MOST_CHARACTERS);
  const name = cookieName(user_id);
  const found = text.split(';').map((cookie) => cookie.trim().split('='));
  return found.find(([given, value]) => given === name && /^[\w-]{43}$/.test(value ?? ''))?.[1];
}
