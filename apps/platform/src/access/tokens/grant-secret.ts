import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Refusal } from '@codase/contracts';

/** Creates a code or a refresh token: 256 random bits that only its holder has. */
export const newGrantSecret = (): string => randomBytes(32).toString('base64url');

/** Returns the hash that is stored of a secret and travels. No slower hash is needed: such a secret cannot be guessed. */
export const hashGrantSecret = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('base64url');

/**
 * Derives the refresh token that replaces another one. It is as hard to guess as the old token and the salt. The front door keeps the salt
 * and the hashes, so that a client whose answer was lost gets the same successor again, while the database alone yields no token.
 */
export const successorOf = (refresh_token: string, salt: string): string =>
  createHmac('sha256', refresh_token).update(`successor:${salt}`, 'utf8').digest('base64url');

/** Returns the PKCE challenge that belongs to a verifier. */
export function challengeOf(code_verifier: string): string {
  if (!/^[\w.~-]{43,128}$/.test(code_verifier))
    throw new Refusal('oauth.invalid_request').because('code_verifier must be 43 to 128 unreserved characters');
  return createHash('sha256').update(code_verifier, 'ascii').digest('base64url');
}
