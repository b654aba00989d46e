import {
  commaList,
  databaseConfig,
  httpServerConfig,
  httpUrl,
  json,
  migrateConfig,
  network,
  pem,
  port,
  postgresUrl,
  serviceConfig,
} from '@codase/runtime/config';
import { IDEMPOTENCY_KEY, RATE_LIMITS, Region, WEBHOOK_KEYS_PER_REGION, type RateLimit } from '@codase/contracts';
import { z } from 'zod';
import { KeyListVariable } from './secrets/key-list.ts';
import { WebhookSigningKeysVariable } from './secrets/webhook-signing-keys.ts';

/** One schema per role. Of several roles in a process each reads its own variables by prefix first: FRONT_DOOR_PORT before PORT. */

/** Token buckets that replace the default buckets of some rate limits: {"data":{"burst":200,"per_second":50}}. */
const Buckets = z.partialRecord(
  z.enum(Object.keys(RATE_LIMITS) as RateLimit[]),
  z.object({ burst: z.number().min(1), per_second: z.number().positive() }),
  'an object of {limit: {burst, per_second}}',
);

const atLeastOne = z.int().min(1);

/** A challenge lives for an hour at most, because rates are counted by the challenges of the last hour. */
const ChallengeLimits = z
  .strictObject(
    {
      lifetime_seconds: atLeastOne.max(3600),
      outcome_hours: atLeastOne.min(IDEMPOTENCY_KEY.hours).max(720),
      pending: z.strictObject({ per_service: atLeastOne, per_person: atLeastOne }),
      rate: z.strictObject({ per_minute: atLeastOne, per_hour: atLeastOne }),
    },
    'an object of {lifetime_seconds, outcome_hours, pending: {per_service, per_person}, rate: {per_minute, per_hour}}',
  )
  .partial();

/** Public keys by the base that signs with them: `front-door`, or a region. */
const TokenKeys = z.record(
  z.string(),
  z.array(z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() })),
  'an object of {base: [public keys as JWK]}',
);
export type TokenKeys = z.infer<typeof TokenKeys>;

/** Public keys of webhook deliveries, by the region whose deliveries they sign. */
const WebhookKeys = z.record(
  Region,
  z.array(z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string().regex(/^[\w-]{43}$/) })).max(WEBHOOK_KEYS_PER_REGION),
  'an object of {region: [Ed25519 public keys as JWK]}',
);
export type WebhookKeys = z.infer<typeof WebhookKeys>;

const RegionBase = z.object({ region: Region, api_url: httpUrl });

/** Whether webhooks and plugins may be on this machine too. For development only: in production they have public addresses alone. */
const LOOPBACK_TARGETS = z.enum(['refused', 'allowed']).default('refused');

/** How often keys that are given by file are read again. */
const KEYS_POLL_SECONDS = z.coerce.number('seconds').min(0.05, 'seconds, 0.05 or more').max(3600, 'seconds, up to 3600').default(5);

/** Origins whose web pages may call from a browser, separated by commas. Pages of other origins cannot read the answers. */
const WEB_ORIGINS = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  )
  .refine((origins) => origins.every(isOrigin), 'origins such as https://app.example, separated by commas');

/** Whether the text is an origin as a browser writes it: without a path, and with a port only when it is not the default port. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Settings that the front door and the regions have in common. */
const base = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port,
  FRONT_DOOR_URL: httpUrl,
  /** Where callers reach the forwarder, which carries questions to plugins. */
  FORWARDER_URL: httpUrl,
  /** [{"region":"eu","api_url":"https://eu.example"}] */
  REGIONS: json(z.array(RegionBase, 'a list of {region, api_url}').min(1)),
  /**
   * EC P-256 private keys of this base in PEM, one after the other: the first signs. No other base has them. A token that a region's key
   * signed is not accepted for a user who is at home elsewhere.
   */
  TOKEN_SIGNING_KEY: z.string().includes('PRIVATE KEY', 'EC P-256 private keys in PEM, the one that signs first'),
  /** The public keys of all bases: {"front-door":[{"kty":"EC","crv":"P-256","x":"…","y":"…"}],"eu":[…]}. */
  TOKEN_KEYS: json(TokenKeys),
  /** The public keys of webhook deliveries, of all regions: {"eu":[{"kty":"OKP","crv":"Ed25519","x":"…"}]}. Every base publishes them. */
  WEBHOOK_KEYS: json(WebhookKeys),
  KEYS_POLL_SECONDS,
  RATE_LIMITS: json(Buckets).optional(),
  WEB_ORIGINS,
  /** Addresses of the proxies before this base (CIDR, comma-separated), whose X-Forwarded-For is believed. */
  TRUST_PROXY: z.string().min(1).optional(),
  /** How much of the address of a caller the audit keeps: all of it, its network, or nothing. */
  AUDIT_ADDRESSES: z.enum(['full', 'network', 'none']).default('full'),
  /** After how many years rows of the audit are deleted. */
  AUDIT_RETENTION_YEARS: z.coerce.number('a whole number from 1 to 30').int().min(1).max(30).default(3),
  ...databaseConfig.shape,
  ...httpServerConfig.shape,
});

const relayUrl = z
  .url({ protocol: /^smtps?$/, error: 'a URL such as smtps://user@host:465' })
  .refine((url) => !/%(?![0-9a-f]{2})/i.test(url), 'a URL whose user and password are percent-encoded');

/** The mail relay for the mails of the front door and for the alerts of webhooks. */
const relay = z.object({
  /**
   * smtps://user:password@host:465, or smtp://… with STARTTLS. When it is absent, alerts are in the logs of services only, and nobody gets
   * the code that confirms an address.
   */
  MAIL_URL: relayUrl.optional(),
  /** The password of the user in MAIL_URL, when the URL does not contain it. */
  MAIL_PASSWORD: z.string('a password').min(1).optional(),
  /** The address that mail comes from. */
  MAIL_FROM: z.email('an e-mail address').optional(),
});

export const FrontDoorConfig = serviceConfig.extend(base.shape).extend({
  /** The peppers for the hashes of client secrets: 32 random bytes in base64 each. New hashes use the first. No region has them. */
  CLIENT_SECRET_PEPPER: KeyListVariable,
  /**
   * EC P-256 private keys in PEM that sign the `id_token` of sign-in apps, and nothing else: the first signs, all are published. Apps trust
   * them, so none of them is in TOKEN_SIGNING_KEY.
   */
  ID_TOKEN_SIGNING_KEY: z.string().includes('PRIVATE KEY', 'EC P-256 private keys in PEM, the one that signs first'),
  /** The front door's own keys for the secrets of second factors: 32 random bytes in base64 each. The first encrypts, all decrypt. */
  STORED_SECRETS_KEY: KeyListVariable,
  /** The cost of new password hashes: scrypt with N of two to this power. One more doubles memory (32 MiB) and time (80 ms). */
  PASSWORD_HASH_COST: z.coerce.number('a whole number from 15 to 20').int().min(1).max(20).default(15),
  ...relay.shape,
  /** Redirect addresses of the portal and the phone app after signing in: {"app_portal":["https://…"],"app_person":["…"]}. */
  FIRST_PARTY_REDIRECTS: json(
    z.partialRecord(z.enum(['app_portal', 'app_person']), z.array(z.string().min(1)), 'an object of {client: [addresses]}'),
  ).optional(),
});
export type FrontDoorConfig = z.infer<typeof FrontDoorConfig>;

/** Where the contents of files are stored. */
const fileStore = z.object({
  /** The store for the contents of files. Files in the other store are moved in the background, and are read from there meanwhile. */
  FILE_STORE: z.enum(['postgres', 's3'], 'postgres or s3').default('postgres'),
  /** Any store that speaks S3. */
  S3_ENDPOINT: httpUrl.optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')
    .optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  /** Without this key and its secret, the credentials are those of the workload identity of the process. */
  S3_ACCESS_KEY_ID: z.string('an access key').min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string('a secret key').min(1).optional(),
  /** Whether the bucket is in the path of the URL rather than in the host name. */
  S3_PATH_STYLE: z.enum(['yes', 'no'], 'yes or no').default('yes'),
  /** The authority that signed the store's certificate. */
  S3_CA: pem,
  /** How long the object of a deleted file stays in the store: as long as the age of the oldest backup that may be restored. */
  FILE_DELETE_AFTER_DAYS: z.coerce.number('days').min(0, 'days, 0 or more').max(3650, 'days, up to 3650').default(35),
});

/** How the platform seals PDFs that all parties have signed or accepted. */
const seals = z.object({
  /** A PKCS#12 file (.p12, .pfx), or its base64, with the operator's own certificate in place of the one that the region makes. */
  SEAL_PKCS12: z.string('a PKCS#12 file').min(1).optional(),
  SEAL_PKCS12_PASSWORD: z.string('a password').min(1).optional(),
  /** A timestamp authority (RFC 3161) whose timestamp every seal carries. While it does not answer, nothing is signed. */
  TIMESTAMP_URL: httpUrl.optional(),
  /** How long the authority may take for one timestamp. The signer waits for it. */
  TIMESTAMP_SECONDS: z.coerce.number('seconds').min(1, 'seconds, 1 or more').max(10, 'seconds, up to 10').default(10),
  /** Whether a region tests its seal before it is ready. `never` is for development: then the certificate is made with the first act. */
  SEAL_CHECK: z.enum(['start', 'never'], 'start or never').default('start'),
});

export const RegionConfig = serviceConfig.extend(base.shape).extend({
  REGION: Region,
  /** How many services a company may have. */
  SERVICES_PER_COMPANY: z.coerce.number('a whole number').int('a whole number').min(1, 'a number, 1 or more').default(100),
  /** How long entries of the logs of services are kept. */
  SERVICE_LOG_DAYS: z.coerce.number('days').int('days, whole ones').min(1, 'days, 1 or more').max(36_500).default(365),
  /** Limits of two-factor challenges that differ from the default: {"lifetime_seconds":120}. */
  CHALLENGE_LIMITS: json(ChallengeLimits).optional(),
  LOOPBACK_TARGETS,
  /** The region's own keys for secrets of webhooks and plugins: 32 random bytes in base64 each. The first encrypts, all decrypt. */
  STORED_SECRETS_KEY: KeyListVariable,
  ...fileStore.shape,
  ...seals.shape,
});
export type RegionConfig = z.infer<typeof RegionConfig>;

/** Settings of the roles that call addresses chosen by others: those of webhooks and plugins. */
const outbound = z.object({
  LOOPBACK_TARGETS,
  /** Networks in which nothing is called, in addition to those that are not public: addresses and CIDR ranges, comma-separated. */
  OUTBOUND_DENY_NETWORKS: commaList(network),
  /** Ports that are not called, comma-separated. */
  OUTBOUND_DENY_PORTS: commaList(port),
});
export type OutboundConfig = z.infer<typeof outbound>;

/** Settings of the delivery. `DATABASES` has the databases of the regions that a delivery process works for, by region. */
export const DeliveryConfig = serviceConfig.extend({
  DATABASES: json(
    z.record(Region, z.object({ url: postgresUrl, password: z.string().min(1).optional() }), 'an object of {region: {url, password}}'),
  ),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(5),
  /** TLS for all these databases: the authority that signed the servers' certificates, and the certificate and key of this client. */
  DATABASE_CA: pem,
  DATABASE_CERT: pem,
  DATABASE_KEY: pem,
  /** The keys with which these regions encrypt webhook secrets: {"eu":"…","us":"…"}, each the same list as in its region. */
  STORED_SECRETS_KEYS: json(z.record(Region, KeyListVariable, 'an object of {region: keys}')),
  /** Ed25519 private keys in PEM that sign the deliveries of these regions: {"eu":"…","us":"…"}. All keys of a region sign. */
  WEBHOOK_SIGNING_KEYS: json(z.record(Region, WebhookSigningKeysVariable, 'an object of {region: Ed25519 private keys in PEM}')),
  KEYS_POLL_SECONDS,
  ...outbound.shape,
  ...relay.shape,
});
export type DeliveryConfig = z.infer<typeof DeliveryConfig>;

/** Settings of the forwarder, which carries questions to plugins and has no database. */
export const ForwarderConfig = serviceConfig.extend({
  HOST: z.string().default('127.0.0.1'),
  PORT: port,
  /** The URL at which callers reach the forwarder. */
  FORWARDER_URL: httpUrl,
  /** The public keys of all bases: {"front-door":[{"kty":"EC","crv":"P-256","x":"…","y":"…"}],"eu":[…]}. */
  TOKEN_KEYS: json(TokenKeys),
  /** RSA-2048 private keys of the built-in plugins in PEM. Callers see the first; the others open what was sealed to them. */
  BUILTIN_PLUGINS_KEY: z.string().includes('PRIVATE KEY', 'RSA-2048 private keys in PEM, the one that is shown first'),
  KEYS_POLL_SECONDS,
  RATE_LIMITS: json(Buckets).optional(),
  WEB_ORIGINS,
  TRUST_PROXY: z.string().min(1).optional(),
  ...outbound.shape,
  /** Authorities that may have signed the certificates of plugins, in addition to the public authorities. */
  OUTBOUND_CA: pem,
  ...httpServerConfig.shape,
});
export type ForwarderConfig = z.infer<typeof ForwarderConfig>;

/** Settings of the program `migrate`: the database of the front door, or of a region, with its owner role. */
export const MigrateConfig = z
  .object({
    ...migrateConfig.shape,
    PLATFORM_ROLES: z.enum(['front-door', 'region'], 'front-door or region: whose database it is'),
    /** The database role with which the delivery reaches the database of a region. `migrate` grants it what it needs. */
    DELIVERY_ROLE: z.string('the name of a database role').min(1).optional(),
  })
  .refine(({ PLATFORM_ROLES, DELIVERY_ROLE }) => PLATFORM_ROLES !== 'region' || DELIVERY_ROLE !== undefined, {
    path: ['DELIVERY_ROLE'],
    error: 'the database role of the delivery, for the database of a region',
  });

const ROLE_NAMES = ['front-door', 'region', 'delivery', 'forwarder'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export const PlatformConfig = z.object({
  PLATFORM_ROLES: z
    .string()
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(ROLE_NAMES, `roles out of ${ROLE_NAMES.join(', ')}, separated by commas`)).min(1)),
  SHUTDOWN_SECONDS: serviceConfig.shape.SHUTDOWN_SECONDS,
});
