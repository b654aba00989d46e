import { z } from 'zod';
import { named } from '../core/named.ts';

/** @spec D1-2.2 */
export const TokenResponse = named(
  'TokenResponse',
  z.object({
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    access_token: z.string(),
    /** The home-region base for data calls; given at the front door. */
    api_url: z.url().optional(),
    /** Rotates on use; client_credentials has none. */
    refresh_token: z.string().optional(),
  }),
);
export type TokenResponse = z.infer<typeof TokenResponse>;

/** @spec D1-2.1 */
export const GrantType = z.enum(['client_credentials', 'authorization_code', 'refresh_token']);
