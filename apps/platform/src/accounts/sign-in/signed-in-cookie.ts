import { identity } from '@codase/contracts';
import { MAX_COOKIE_CHARACTERS } from '../../kit/pages/cookies.ts';

/** The ids of the clients that somebody has signed in to with this browser, newest first. It signs nobody in. @gap D1-4.6 */
const NAME = 'codase_signed_in_to';
const MAX_CLIENTS = 20;
const DAYS = 30;

/** The cookies of a request, as its headers have them. */
type Cookies = string | string[] | undefined;

/** Returns the cookie that adds a client to those of the browser. */
export function signedInCookie(cookies: Cookies, client_id: string, isSecure: boolean): string {
  const clients = [client_id, ...clientsIn(cookies).filter((known) => known !== client_id)].slice(0, MAX_CLIENTS);
  const parts = [`${NAME}=${clients.join('.')}`, `Path=${identity.authorize.path}`, `Max-Age=${DAYS * 86_400}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Whether somebody has signed in to the client with this browser lately. */
export const hasSignedIn = (cookies: Cookies, client_id: string): boolean => clientsIn(cookies).includes(client_id);

function clientsIn(cookies: Cookies): string[] {
  const found = [cookies ?? []]
    .flat()
    .join('; ')
    .slice(0, MAX_COOKIE_CHARACTERS)
    .split(';')
    .map((cookie) => cookie.trim().split('='))
    .find(([name]) => name === NAME);
  return (found?.[1] ?? '').split('.').filter((id) => /^[\w-]{1,64}$/.test(id));
}
