import { Id } from '@codase/contracts';
import { databaseConfig, httpServerConfig, json, port, prepareConfig, serviceConfig } from '@codase/runtime/config';
import { z } from 'zod';

/** A service's name on the bus: a word of one subject level. */
const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');
const Secret = z.string().min(1);
/** A user name without a colon: in basic authentication the first colon ends the user name. @spec D1-6.4 */
const UserName = Secret.refine((name) => !name.includes(':'), 'no colon in a user name');

/** How the deliveries of a webhook authenticate, with the member names of the webhook's configuration. @spec D1-6.4 */
const DeliveryAuth = z.discriminatedUnion('auth_type', [
  z.strictObject({
    auth_type: z.literal('hmac'),
    hmac_secret: Secret,
    /** The oldest signature that is accepted. When set, a delivery needs a signature with a time, which not every platform sends. */
    max_age_seconds: z.number('seconds').min(10, 'seconds, 10 or more').optional(),
  }),
  z.strictObject({ auth_type: z.literal('bearer'), auth_token: Secret }),
  z.strictObject({ auth_type: z.literal('basic'), auth_username: UserName, auth_password: Secret }),
  z.strictObject({ auth_type: z.literal('header'), auth_header_name: Secret, auth_header_value: Secret }),
  z.strictObject({ auth_type: z.literal('none') }),
]);
type DeliveryAuth = z.infer<typeof DeliveryAuth>;

const bytes = (least: number, otherwise: number) =>
  z.coerce.number('a number of bytes').int().min(least, `a number of bytes, ${least} or more`).default(otherwise);

/** How the events of one service arrive: drained from the pull feed, or delivered by a webhook. Never both. */
const Channel = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('pull') }),
  z.strictObject({
    mode: z.literal('webhook'),
    /** The webhook whose deliveries are accepted. */
    webhook_id: Id,
    auth: DeliveryAuth,
    /** Whether the webhook wraps its bodies in the account-key envelope. When true, a body without the envelope is refused. */
    encrypt_payload: z.boolean().default(false),
  }),
]);
type Channel = z.infer<typeof Channel>;
export type WebhookChannel = Extract<Channel, { mode: 'webhook' }>;

const seconds = (least: number, most: number, otherwise: number) =>
  z.coerce.number('seconds').min(least, `seconds, ${least} or more`).max(most, `seconds, up to ${most}`).default(otherwise);

export const Config = serviceConfig
  .extend(databaseConfig.shape)
  .extend(httpServerConfig.shape)
  .extend({
    /** For example {"shop": {"mode": "pull"}}. Webhook channels contain secrets: mount them as a file and name it in CHANNELS_FILE. */
    CHANNELS: json(z.record(Handle, Channel, 'an object of {name: {"mode": "pull"} or {"mode": "webhook", …}}')).default({}),
    /** The address at which webhooks deliver, below /hooks/NAME. Without a webhook channel nothing listens. */
    HOST: z.string().default('127.0.0.1'),
    PORT: port.optional(),
    /** The name of this replica. A replica with the same name as before a crash takes its leases back at once, before they expire. */
    REPLICA: z.string().min(1).max(128).optional(),
    /** How long the lease of a replica that no longer renews it lasts. A lease is for a channel to drain or a shard to publish. */
    LEASE_SECONDS: seconds(1, 300, 30),
    /** The longest pause between two drains of a channel that is idle. */
    IDLE_SECONDS: seconds(0.01, 300, 5),
    /** How long published events can be sent again. */
    KEPT_DAYS: z.coerce.number('days').min(0, 'days, 0 or more').max(60, 'days, up to 60').default(7),
    /** How many bytes of each service may wait to be published. Above this the service is not drained, and its deliveries are refused. */
    SPOOL_MAX_BYTES: bytes(1024 ** 2, 256 * 1024 ** 2),
  });
export type Config = z.infer<typeof Config>;

/** The configuration of the program that creates the streams. */
export const PrepareConfig = prepareConfig.extend({
  /** How many bytes the stream of events may hold. When it is full, events wait in the database. */
  FEED_MAX_BYTES: bytes(1024 ** 2, 4 * 1024 ** 3),
});

export type Channels = Readonly<Record<string, Channel>>;
export const CHANNELS = Symbol('Channels');
export const SETTINGS = Symbol('Settings');
export interface Settings {
  idleMs: number;
  /** How long published events can be sent again, and repeated events are recognised. */
  keptMs: number;
  /** How many bytes of each service may wait to be published. */
  spoolBytes: number;
}

export const namesOf = (channels: Channels, mode: Channel['mode']): string[] =>
  Object.keys(channels).filter((name) => channels[name]!.mode === mode);
