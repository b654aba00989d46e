import { z } from 'zod';
import { named } from '../core/named.ts';
import { Id, Timestamp } from '../core/text.ts';

/** @spec D1-2.2 */
export const TokenResponse = named(
  'TokenResponse',
  z.object({
    /** `DPoP` for a token that is bound to a key: each call proves that it has the key (RFC 9449). */
    token_type: z.enum(['Bearer', 'DPoP']),
    expires_in: z.int(),
    access_token: z.string(),
    /** The base of the home region, for data calls. Only the front door gives it. */
    api_url: z.url().optional(),
    /** Rotates on use; absent for client_credentials. */
    refresh_token: z.string().optional(),
    /** Who signed in, for a sign-in app: a JWT as OpenID Connect has it. @gap D1-4.6 */
    id_token: z.string().optional(),
    /** The values of the claims of a sign-in app, by their slugs. They are given once. @spec D1-4.6 */
    claim_values: z.record(z.string(), z.string()).optional(),
  }),
);
export type TokenResponse = z.infer<typeof TokenResponse>;

/** @spec D1-2.1 */
export const GrantType = z.enum(['client_credentials', 'authorization_code', 'refresh_token']);

/** A coordinate of a P-256 point: 32 bytes in base64url, in the one spelling that has no spare bits. */
const Coordinate = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/);

/** The public key of a device, as a JSON Web Key without further members. */
export const DeviceKey = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: Coordinate, y: Coordinate });
export type DeviceKey = z.infer<typeof DeviceKey>;

/** One sign-in of a user, with all tokens that came of it. @gap D1-4.1 */
export const Session = named(
  'Session',
  z.object({
    id: Id,
    client_id: z.string().describe('The app or client that was signed in to'),
    client_name: z.string(),
    /** When the password was given. */
    created_at: Timestamp,
    /** When the session was last refreshed. */
    last_used_at: Timestamp,
    /** When the session ends, however often it is refreshed: 90 days after the sign-in. */
    ends_at: Timestamp,
  }),
);
