import { z } from 'zod';
import { expects, fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { appRedirectUriOr, Id, Line, lineOr, redirectUriOr, Slug, text, Timestamp } from '../core/text.ts';
import { PluginChoice } from '../plugins/shapes.ts';
import { GrantType } from '../tokens/shapes.ts';
import { CLAIMS, OLD_SECRET_HOURS, PURPOSE_CHARS, REDIRECT_URIS, RESERVED_PURPOSES, SIGN_IN_VALUES_CHARS } from './limits.ts';
import { CAPABILITIES } from './whitelist.ts';

const URI_COUNT = `must be 1 to ${REDIRECT_URIS} different addresses`;
const badUris = fails('oauth_apps.redirect_uri_invalid', URI_COUNT);
const redirect_uris = z
  .array(appRedirectUriOr('oauth_apps.redirect_uri_invalid'), badUris)
  .min(1, badUris)
  .max(REDIRECT_URIS, badUris)
  .refine((uris) => new Set(uris).size === uris.length, badUris);

/** A field a sign-in app asks for. @spec D1-7 @gap D1-4.6 */
const NewClaim = z
  .strictObject({
    slug: Slug,
    label: Line,
    type: Slug,
    required: z.boolean().default(true).describe('Whether a person has to give it. When it is false, the phone may leave it out'),
    plugin: z
      .union([z.null(), PluginChoice], fails('oauth_apps.claim_config_plugin_invalid', 'must be null, or plugin_id and field_type'))
      .default(null),
  })
  .refine(({ type, plugin }) => (type === 'plugin') === (plugin !== null), {
    ...fails('oauth_apps.claim_config_plugin_invalid', 'is given where the type is plugin, and nowhere else'),
    path: ['plugin'],
  });

const claims = z
  .array(NewClaim)
  .max(CLAIMS)
  .refine(
    (claims) => new Set(claims.map(({ slug }) => slug)).size === claims.length,
    expects('must have a slug of its own for each claim'),
  );

/** Whether the values of claims reach the company sealed to its account key, or in the clear. @spec D1-4.6 */
export const ClaimsDelivery = z.enum(['encrypted', 'plaintext']);
/** What a sign-in app asks for, as it was stored. */
export const Claim = z.object({
  slug: z.string(),
  label: z.string(),
  type: z.string(),
  required: z.boolean(),
  plugin: PluginChoice.nullable(),
});
export type Claim = z.infer<typeof Claim>;

/** A sign-in app. Its `id` is its `client_id`. @spec D1-4.6 @gap D1-4.6 */
export const OauthApp = named(
  'OauthApp',
  z.object({
    id: Id,
    client_id: z.string(),
    name: z.string(),
    redirect_uris: z.array(z.string()),
    claims_delivery: ClaimsDelivery,
    claims: z.array(Claim),
    created_at: Timestamp,
  }),
);

/** @spec D1-4.6 */
export const NewOauthApp = z.strictObject({
  name: Line,
  redirect_uris,
  claims_delivery: ClaimsDelivery.default('encrypted'),
  claims: claims.default([]),
});
/** A change of a sign-in app. The redirect_uris replace the whole set, and are matched exactly. @spec D1-4.6 */
export const OauthAppChange = z.strictObject({
  name: Line.optional(),
  redirect_uris,
  claims_delivery: ClaimsDelivery.optional(),
  claims: claims.optional(),
});

/** A sign-in with an app that waits for the person's answer on the phone. @gap D1-4.6 */
export const WaitingSignIn = named(
  'WaitingSignIn',
  z.object({
    id: Id,
    app_name: z.string(),
    /** The share code of the company that has the app. */
    company_code: z.string().nullable(),
    /** Two digits, which the page in the browser shows too: a person approves the sign-in that has the digits of the own browser. */
    digits: z.string(),
    claims: z.array(Claim),
    claims_delivery: ClaimsDelivery,
    /** The account key of the company, which values are sealed to; null when they are given in the clear. */
    public_key: z.string().nullable(),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

/** The values of the claims, by their slugs. @gap D1-4.6 */
export const SignInValues = z.strictObject({ values: z.record(Slug, text(SIGN_IN_VALUES_CHARS)) });

/**
 * Whether the client gets only tokens that are bound to a key (RFC 9449, 5.2). A stolen token is then worth nothing without the key.
 * @gap D1-5.4
 */
const dpop_bound_access_tokens = z.boolean();

/** A service's data client. Its secret is shown once, when it is made. @spec D1-2.1 */
export const ServiceClient = named(
  'ServiceClient',
  z.object({
    client_id: z.string().startsWith('svc_'),
    grant_types: z.array(GrantType),
    redirect_uri: z.string().nullable(),
    dpop_bound_access_tokens,
    created_at: Timestamp,
  }),
);
/** A service's data client with its secret, which is shown only this once. @spec D1-5.9 */
export const ServiceClientOnce = ServiceClient.omit({ dpop_bound_access_tokens: true }).extend({ client_secret: z.string() });

/** An account automation client, never with its secret. @spec D1-2.1 */
export const AccountClient = named(
  'AccountClient',
  z.object({
    client_id: z.string().startsWith('acct_'),
    name: z.string(),
    purpose: z.string().nullable(),
    capabilities: z.array(z.enum(CAPABILITIES)),
    redirect_uri: z.string().nullable(),
    dpop_bound_access_tokens,
    created_at: Timestamp,
  }),
);
/** The answer to the creation of an account client. @spec D1-4.6 */
export const AccountClientOnce = AccountClient.omit({ created_at: true, dpop_bound_access_tokens: true }).extend({
  client_secret: z.string(),
});

/** A secret, which is shown only this once. @spec D1-5.9 */
export const SecretOnce = z.object({ client_id: z.string(), client_secret: z.string() });

/** For how many hours the old secret works beside the new one. @gap D1-4.6 */
export const KeepOldHours = z.int().min(1).max(OLD_SECRET_HOURS.most);
export const SecretRotation = z.strictObject({
  keep_old_hours: KeepOldHours.default(OLD_SECRET_HOURS.usual).describe('For so many hours the old secret works beside the new one'),
});
/** The answer to a rotation: the new secret, and when the old one ends. @gap D1-4.6 */
export const RotatedSecret = SecretOnce.extend({ old_secret_until: Timestamp });

const badPurpose = fails('account_clients.purpose_invalid');
const isReserved = (purpose: string) => RESERVED_PURPOSES.some((prefix) => purpose.startsWith(prefix));

/** The purpose of an account client: set at creation and never changed. Null and absent are the same. @spec D1-2.1 */
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
/** The new rights of an account client. The client always keeps the baseline. @spec D1-4.6 */
export const AccountClientRights = z.strictObject({
  capabilities,
  redirect_uri,
  dpop_bound_access_tokens: dpop_bound_access_tokens.optional(),
});
/** What a company changes of a data client. @spec D1-5.1 */
export const ServiceClientChange = z.strictObject({ redirect_uri, dpop_bound_access_tokens: dpop_bound_access_tokens.optional() });
