import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Refusal } from '@cds/contracts';

/** A code or a refresh token: 256 random bits that only their holder has. */
export const newGrantSecret = (): string => randomBytes(32).toString('base64url');

/** What is kept of one, and what travels between the bases. Nothing slower is needed: such a secret cannot be guessed. */
export const hashGrantSecret = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('base64url');

/**
 * The refresh token that takes the place of another: as unguessable as that one, and as the salt. The front door keeps the salt and the
 * hashes, so that a client whose answer was lost gets the same one, and the database alone gives none.
 */
export const successorOf = (refresh_token: string, salt: string): string =>
  createHmac('sha256', refresh_token).update(`successor:${salt}`, 'utf8').digest('base64url');

/** The challenge that a verifier answers. */
export function challengeOf(code_verifier: string): string {
  if (!/^[\w.~-]{43,128}$/.test(code_verifier))
    throw new Refusal('oauth.invalid_request').because('code_verifier must be 43 to 128 unreserved characters');
  return createHash('sha256').update(code_verifier, 'ascii').digest('base64url');
}
