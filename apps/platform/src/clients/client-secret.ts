import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const PEPPER = Symbol('Pepper');

/** Secrets are kept only as a keyed hash; the key (pepper) is not in the database. @spec D1-2.1 */
export interface Pepper {
  id: string;
  key: Buffer;
}

/** 256 random bits. It is shown once, to the one who asked for it. @spec D1-5.9 */
export const newSecret = (): string => randomBytes(32).toString('base64url');

export const hashSecret = (pepper: Pepper, secret: string): string =>
  `${pepper.id}:${createHmac('sha256', pepper.key).update(secret, 'utf8').digest('base64url')}`;

/** Takes the same time for an unknown client as for a wrong secret: pass no hash and it compares with a stand-in. */
export function secretMatches(pepper: Pepper, secret: string, hash: string | undefined): boolean {
  const expected = Buffer.from(hash ?? hashSecret(pepper, ''));
  const given = Buffer.from(hashSecret(pepper, secret));
  const same = expected.length === given.length && timingSafeEqual(expected, given);
  return same && hash !== undefined;
}
