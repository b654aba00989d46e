import { Id } from '@cds/contracts';
import { databaseConfig, httpServerConfig, json, port, prepareConfig, serviceConfig } from '@cds/runtime/config';
import { z } from 'zod';

/** A service's name on the bus: a word of one subject level. */
const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');
const Secret = z.string().min(1);
/** A colon would end it early. @spec D1-6.4 */
const UserName = Secret.refine((name) => !name.includes(':'), 'no colon in a user name');

/** How the deliveries of a webhook authenticate, in the words of its configuration. @spec D1-6.4 */
export const DeliveryAuth = z.discriminatedUnion('auth_type', [
  z.strictObject({
    auth_type: z.literal('hmac'),
    hmac_secret: Secret,
    /** How long ago a delivery may have been signed. It then needs a signature with a time, which not every platform gives. */
    max_age_seconds: z.number('seconds').min(10, 'seconds, 10 or more').optional(),
  }),
  z.strictObject({ auth_type: z.literal('bearer'), auth_token: Secret }),
  z.strictObject({ auth_type: z.literal('basic'), auth_username: UserName, auth_password: Secret }),
  z.strictObject({ auth_type: z.literal('header'), auth_header_name: Secret, auth_header_value: Secret }),
  z.strictObject({ auth_type: z.literal('none') }),
]);
export type DeliveryAuth = z.infer<typeof DeliveryAuth>;

const bytes = (least: number, otherwise: number) =>
  z.coerce.number('a number of bytes').int().min(least, `a number of bytes, ${least} or more`).default(otherwise);

/** How the events of one service come: asked for, or sent. One of the two, never both. */
export const Channel = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('pull') }),
  z.strictObject({
    mode: z.literal('webhook'),
    /** The webhook whose deliveries are taken. */
    webhook_id: Id,
    auth: DeliveryAuth,
    /** The webhook wraps its bodies in the account-key envelope; one that comes bare is then refused. */
    encrypt_payload: z.boolean().default(false),
  }),
]);
export type Channel = z.infer<typeof Channel>;
export type WebhookChannel = Extract<Channel, { mode: 'webhook' }>;

const seconds = (least: number, most: number, otherwise: number) =>
  z.coerce.number('seconds').min(least, `seconds, ${least} or more`).max(most, `seconds, up to ${most}`).default(otherwise);

export const Config = serviceConfig
  .extend(databaseConfig.shape)
  .extend(httpServerConfig.shape)
  .extend({
    /** {"shop": {"mode": "pull"}}; webhooks have secrets: mount it and name it in CHANNELS_FILE. */
    CHANNELS: json(z.record(Handle, Channel, 'an object of {name: {"mode": "pull"} or {"mode": "webhook", …}}')).default({}),
    /** Where deliveries of webhooks come in, at /hooks/NAME. Nothing listens without a webhook channel. */
    HOST: z.string().default('127.0.0.1'),
    PORT: port.optional(),
    /** The name of this replica. One that keeps its name takes its duties up at once after a crash, and not when their lease runs out. */
    REPLICA: z.string().min(1).max(128).optional(),
    /** How long a duty (a channel to drain, a shard to publish) stays with a replica that is not heard of. */
    LEASE_SECONDS: seconds(1, 300, 30),
    /** The longest pause between two drains of a channel that is idle. */
    IDLE_SECONDS: seconds(0.01, 300, 5),
    /** How long published events can be sent again. */
    KEPT_DAYS: z.coerce.number('days').min(0, 'days, 0 or more').max(60, 'days, up to 60').default(7),
    /** How much of each service may wait to be published; above it the service is not drained, and its deliveries are refused. */
    SPOOL_MAX_BYTES: bytes(1024 ** 2, 256 * 1024 ** 2),
  });
export type Config = z.infer<typeof Config>;

/** Of the program that makes the streams. */
export const PrepareConfig = prepareConfig.extend({
  /** How much the stream of events may hold; when it is full, events wait in the database. */
  FEED_MAX_BYTES: bytes(1024 ** 2, 4 * 1024 ** 3),
});

export type Channels = Readonly<Record<string, Channel>>;
export const CHANNELS = Symbol('Channels');
export const SETTINGS = Symbol('Settings');
export interface Settings {
  idleMs: number;
  /** How long published events can be sent again, and repeated ones are known. */
  keptMs: number;
  /** How much of each service may wait to be published. */
  spoolBytes: number;
}

export const namesOf = (channels: Channels, mode: Channel['mode']): string[] =>
  Object.keys(channels).filter((name) => channels[name]!.mode === mode);
