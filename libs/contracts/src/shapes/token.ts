import { z } from 'zod';
import { fails } from '../fails.ts';
import { PURPOSE_CHARS, RESERVED_PURPOSES } from '../limits.ts';
import { named } from '../named.ts';
import { CAPABILITIES } from '../whitelist.ts';
import { lineOr, redirectUriOr, Timestamp } from './text.ts';

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

/** A service's data client. Its secret is shown once, when it is made. @spec D1-2.1 */
export const ServiceClient = named(
  'ServiceClient',
  z.object({
    client_id: z.string().startsWith('svc_'),
    grant_types: z.array(GrantType),
    redirect_uri: z.string().nullable(),
    created_at: Timestamp,
  }),
);
/** The same with its secret, the one time it is shown. @spec D1-5.9 */
export const ServiceClientOnce = ServiceClient.extend({ client_secret: z.string() });

/** An account automation client, never with its secret. @spec D1-2.1 */
export const AccountClient = named(
  'AccountClient',
  z.object({
    client_id: z.string().startsWith('acct_'),
    name: z.string(),
    purpose: z.string().nullable(),
    capabilities: z.array(z.enum(CAPABILITIES)),
    redirect_uri: z.string().nullable(),
    created_at: Timestamp,
  }),
);
/** The answer to its creation. @spec D1-4.6 */
export const AccountClientOnce = AccountClient.omit({ created_at: true }).extend({ client_secret: z.string() });

/** A secret, the one time it is shown. @spec D1-5.9 */
export const SecretOnce = z.object({ client_id: z.string(), client_secret: z.string() });

const badPurpose = fails('account_clients.purpose_invalid');
const isReserved = (purpose: string) => RESERVED_PURPOSES.some((prefix) => purpose.startsWith(prefix));

/** Set at creation and never changed; null and absent are the same. @spec D1-2.1 */
export const Purpose = z
  .string(badPurpose)
  .regex(new RegExp(`^[a-z0-9_.:-]{1,${PURPOSE_CHARS}}$`), badPurpose)
  .refine((purpose) => !isReserved(purpose), fails('account_clients.purpose_reserved'));

const redirect_uri = redirectUriOr('account_clients.redirect_uri_invalid').nullish();
const capabilities = z.array(z.enum(CAPABILITIES)).max(CAPABILITIES.length);

/** @spec D1-4.6 */
export const NewAccountClient = z.strictObject({
  name: lineOr('account_clients.name_invalid'),
  capabilities,
  redirect_uri,
  purpose: Purpose.nullish(),
});
/** The baseline is always kept. @spec D1-4.6 */
export const AccountClientRights = z.strictObject({ capabilities, redirect_uri });
