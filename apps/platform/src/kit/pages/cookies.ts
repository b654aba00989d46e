import { identity } from '@codase/contracts';

/** How much of a request's cookies is looked at: browsers send at most some kilobytes to one host. */
export const MAX_COOKIE_CHARACTERS = 16_384;

/** Returns a cookie for the sign-in pages of this host alone, out of reach of scripts and of other sites' forms. */
export function secretCookie(name: string, secret: string, { seconds, isSecure }: { seconds: number; isSecure: boolean }): string {
  const parts = [`${name}=${secret}`, `Path=${identity.authorize.path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Returns the secret in the cookie of that name; undefined when there is none, or its value is no secret of 256 bits. */
export function readSecretCookie(cookies: string | string[] | undefined, name: string): string | undefined {
  const text = [cookies ?? []].flat().join('; ').slice(0, MAX_COOKIE_CHARACTERS);
  const found = text.split(';').map((cookie) => cookie.trim().split('='));
  return found.find(([given, value]) => given === name && /^[\w-]{43}$/.test(value ?? ''))?.[1];
}
