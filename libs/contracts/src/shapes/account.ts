import { z } from 'zod';
import { fails } from '../fails.ts';
import { PASSWORD_CHARS } from '../limits.ts';
import { named } from '../named.ts';
import { Region } from '../region.ts';
import { PluginChoice } from './plugin.ts';
import { EncryptedPrivateKey, encryptedPrivateKeyOr, PublicKey, publicKeyOr } from './sealed.ts';
import { CustomerType, emailOr, Id, Line, redirectUriOr, ShareCode, Slug, Timestamp } from './text.ts';

/** What an account pays for, in order. @gap D1-4.5 */
export const Level = z.enum(['free', 'basic', 'pro', 'business']);
export type Level = z.infer<typeof Level>;

const weak = fails('account.password_weak');
/** A password to be set. @gap D1-5 */
export const NewPassword = z.string(weak).min(PASSWORD_CHARS.least, weak).max(PASSWORD_CHARS.most, weak);
/** A password to be checked: a wrong one and none are the same. @gap D1-5 */
export const Password = z.string(fails('account.password_wrong')).max(PASSWORD_CHARS.most, fails('account.password_wrong'));
/** A code from a mail or an authenticator. @gap D1-5 */
export const Code = z.string(fails('account.code_invalid')).regex(/^[0-9A-Z]{6,10}$/, fails('account.code_invalid'));
/** The languages of profiles, texts and templates. @gap D2-4.3 */
export const Language = z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/);

/** The key pair of an account: the private half arrives already encrypted. @gap D1-5 */
export const AccountKeys = named('AccountKeys', z.object({ public_key: PublicKey, encrypted_private_key: EncryptedPrivateKey }));
/** The same as it is sent. */
export const NewAccountKeys = z.strictObject({
  public_key: publicKeyOr('account.key_invalid'),
  encrypted_private_key: encryptedPrivateKeyOr('account.key_invalid'),
});

/** @gap D1-5 */
export const NewAccount = NewAccountKeys.extend({
  type: CustomerType,
  email: emailOr('account.email_invalid'),
  password: NewPassword,
  display_name: Line,
  language: Language.default('en'),
  region: Region,
});

/** @spec D1-5.8 @gap D1-5 */
export const Account = named(
  'Account',
  z.object({
    user_id: Id,
    type: CustomerType,
    email: z.string(),
    level: Level,
    region: Region,
    api_url: z.url(),
    created_at: Timestamp,
  }),
);

/** @spec D1-5.8 @gap D1-5 */
export const Profile = named(
  'Profile',
  z.object({
    user_id: Id,
    display_name: z.string(),
    language: Language,
    share_code: ShareCode,
    public_key: PublicKey,
    /** The region the account is moving to, while it moves. */
    moving_to: Region.nullable(),
  }),
);

/** @spec D1-5.8 @gap D1-5 */
export const TrustedDevice = named('TrustedDevice', z.object({ id: Id, name: z.string(), created_at: Timestamp, last_seen_at: Timestamp }));

/** What a recovery copy is of. @spec D1-5.1 */
export const RecoveryKind = z.enum(['client_secret', 'service_passphrase', 'app_secret']);
/** A copy of a secret, sealed to the company's recovery key; listed without it. @spec D1-5.1 @gap D1-5.1 */
export const RecoveryCopy = named('RecoveryCopy', z.object({ id: Id, kind: RecoveryKind, subject_id: z.string(), created_at: Timestamp }));

/** @gap D1-5.8 */
export const Photo = named('Photo', z.object({ id: Id, content_type: z.string(), size: z.int(), created_at: Timestamp }));

/** A user who may work for the company, and on which services. @spec D1-5.8 @gap D1-5.8 */
export const Delegate = named(
  'Delegate',
  z.object({
    id: Id,
    user_id: Id,
    display_name: z.string(),
    public_key: PublicKey,
    /** The services granted; `has_key`: the service's passphrase was handed over, sealed to the delegate. */
    services: z.array(z.object({ service_id: Id, has_key: z.boolean() })),
    created_at: Timestamp,
  }),
);

const badUris = fails('oauth_apps.redirect_uri_invalid');
const redirect_uris = z.array(redirectUriOr('oauth_apps.redirect_uri_invalid'), badUris).min(1, badUris).max(20, badUris);

/** A field a sign-in app asks for. @spec D1-7 @gap D1-4.6 */
const NewClaim = z
  .strictObject({
    slug: Slug,
    label: Line,
    type: Slug,
    plugin: z.union([z.null(), PluginChoice], fails('oauth_apps.claim_config_plugin_invalid')).default(null),
  })
  .refine(({ type, plugin }) => (type === 'plugin') === (plugin !== null), fails('oauth_apps.claim_config_plugin_invalid'));

const ClaimsDelivery = z.enum(['encrypted', 'plaintext']);

/** A sign-in app. @spec D1-4.6 @gap D1-4.6 */
export const OauthApp = named(
  'OauthApp',
  z.object({
    id: Id,
    client_id: z.string(),
    name: z.string(),
    redirect_uris: z.array(z.string()),
    claims_delivery: ClaimsDelivery,
    claims: z.array(z.object({ slug: z.string(), label: z.string(), type: z.string(), plugin: PluginChoice.nullable() })),
    created_at: Timestamp,
  }),
);

/** @spec D1-4.6 */
export const NewOauthApp = z.strictObject({
  name: Line,
  redirect_uris,
  claims_delivery: ClaimsDelivery.default('encrypted'),
  claims: z.array(NewClaim).max(100).default([]),
});
/** The set is replaced, and matched exactly. @spec D1-4.6 */
export const OauthAppChange = z.strictObject({
  redirect_uris,
  claims_delivery: ClaimsDelivery.optional(),
  claims: z.array(NewClaim).max(100).optional(),
});
