/** Values the specification fixes, and values it leaves open (marked @gap) that we chose. */

// Requests

/** Largest request body a structured route reads, unless its contract says more. @gap D1-8 */
export const BODY_BYTES = 1024 * 1024;
/** Deepest nesting a structured body may have: room for a flow draft whose expressions use all their levels. @gap D1-8 */
export const BODY_DEPTH = 256;
/** Entries of a list in one answer, unless the caller asks for fewer or more. @gap D1-4.7 */
export const PAGE_ITEMS = { usual: 50, most: 200 } as const;

/** A token bucket: what may come at once, and how fast it fills again. */
export interface Bucket {
  burst: number;
  per_second: number;
  /** Whom it counts for: the source address, or the client. */
  by: 'address' | 'client';
}

/** Every route is charged to one bucket; the specification names the kinds and no numbers. @spec D1-5.4 @gap D1-8 */
export const RATE_LIMITS = {
  token: { burst: 30, per_second: 1, by: 'address' },
  connections: { burst: 10, per_second: 10 / 60, by: 'client' },
  changes: { burst: 60, per_second: 10, by: 'client' },
  data: { burst: 100, per_second: 20, by: 'client' },
} as const satisfies Record<string, Bucket>;
export type RateLimit = keyof typeof RATE_LIMITS;

// Access

export const ACCESS_TOKEN_SECONDS = 3600; // @spec D1-8
/** @gap D1-8 */
export const AUTHORIZATION_CODE_SECONDS = 60;
/** They rotate on use; a used one that comes again ends its family. @spec D1-8 @gap D1-8 */
export const REFRESH_TOKEN_DAYS = 30;
/** How long a detached enrolment waits for the person, and how long its outcome can be asked after that. @gap D1-4.5 */
export const DETACHED_MINUTES = 10;
/** @gap D1-5 */
export const PASSWORD_CHARS = { least: 10, most: 1024 } as const;
/** Length of an account client's purpose, and the prefixes the platform keeps for itself. @spec D1-8 @spec D1-2.1 */
export const PURPOSE_CHARS = 64;
export const RESERVED_PURPOSES = ['crm:', 'shopify:'] as const;
/** Clients a company may name. @gap D1-2.1 */
export const ACCOUNT_CLIENTS = 50;

// Keys

/** The wrap of a private key. @spec D1-8 @spec D1-2.4 */
export const KEY_WRAP = { iterations: 100_000, salt_bytes: 16, iv_bytes: 12 } as const;
/** Sizes of an envelope's members: an RSA-2048 wrapped key, a GCM IV, at least a GCM tag. @spec D1-2.3 */
export const ENVELOPE = { key_bytes: 256, iv_bytes: 12, tag_bytes: 16 } as const;
/** @spec D2-8 */
export const ONE_TIME_KEY_BYTES = 32;

// Names, texts and values

/** @spec D1-8 */
export const SERVICE_CODE_CHARS = 8;
/** Digits of values. @spec D1-8 */
export const PHONE_DIGITS = { least: 4, most: 15 } as const;
export const CARD_DIGITS = { least: 12, most: 19 } as const;
export const DECIMAL_DIGITS = { whole: 8, fraction: 2 } as const;

/** Names, labels and titles. @gap D1-8 */
export const NAME_CHARS = 200;
/** A sealed value that is no file: what BODY_BYTES leaves room for. @gap D1-8 */
export const SEALED_CHARS = 256 * 1024;
/** A message to connected persons, sealed. @gap D1-8 */
export const MESSAGE_CHARS = 64 * 1024;
/** A broadcast goes out in one call, all or nothing. @gap D1-4.7 */
export const BROADCAST_MESSAGES = 1000;
/** Rows of a service's request. @gap D1-8 */
export const REQUEST_FIELDS = 200;
/** Members of a document's metadata. @gap D1-2.12 */
export const METADATA_MEMBERS = 50;

// Feed and webhooks

export const FEED_RETENTION_DAYS = 7; // @spec D1-8
export const WEBHOOK_GRACE_MINUTES = 10; // @spec D1-8
export const WEBHOOK_BACKLOG_DAYS = 7; // @spec D1-8
/** A backlog of that age is told of daily, then hourly. @spec D1-6.3 */
export const STALE_BACKLOG_DAYS = { daily: 2, hourly: 5 } as const;
/** @gap D1-8 */
export const WEBHOOKS_PER_SERVICE = 20;
/** A backlog is counted this far: one that says so many has at least as many. @gap D1-3.2 */
export const COUNTED_BACKLOG = 10_000;
/** Time for one delivery; the answer is read to this many bytes and dropped. @gap D1-8 */
export const WEBHOOK_DELIVERY = { seconds: 10, answer_bytes: 64 * 1024 } as const;
/** What one delivery to the suite may weigh. It goes on in a message of the bus, with headers, and fits one of a megabyte. @gap D1-6.3 */
export const DELIVERY_BYTES = 960 * 1024;
/** A wrapped delivery that does not open is refused so long, then parked: well before the backlog behind it is purged. @gap D1-6.3 */
export const UNOPENED_HOURS = 6;
/** Events of one drain. @gap D1-4.3 */
export const DRAIN_EVENTS = 500;
/** Bytes of one drain, as JSON, unless one event is more; and the time its answer has to leave in, before it is taken back. @gap D1-4.3 */
export const DRAIN_ANSWER = { bytes: 4 * 1024 * 1024, seconds: 20 } as const;
/** Subjects a service's feed is spread over on the suite's bus, by person. @gap D1-6 */
export const FEED_PARTITIONS = 16;
/** How long the suite's bus keeps events for those who were away. @gap D1-6 */
export const FEED_STREAM_DAYS = 14;
/** Events of one request to send them again. @gap D1-6 */
export const RESEND_EVENTS = 5000;

// Two-factor approval

/** @gap D1-8 */
export const CHALLENGE_SECONDS = 300;
/** An outcome nobody collects is kept so long, then it is 404. @gap D1-3.1 */
export const CHALLENGE_OUTCOME_HOURS = 24;
/** Code points. @gap D1-8 */
export const CHALLENGE_CONTEXT_CHARS = 256;
/** Its length, and how long it is remembered. @gap D1-4.5 */
export const IDEMPOTENCY_KEY = { chars: 255, hours: 24 } as const;
/** Open challenges of one person. @gap D1-8 */
export const PENDING_CHALLENGES = { per_service: 3, per_person: 10 } as const;
/** Challenges for one person by one service. @gap D1-8 */
export const CHALLENGE_RATE = { per_minute: 5, per_hour: 30 } as const;
/** Polls of one challenge. @gap D1-8 */
export const CHALLENGE_POLLS_PER_MINUTE = 60;

// Files and documents

/** @gap D2-8 */
export const DOCUMENT_MAX_MB = 25;
/** Length of the sealed string of a file: two layers of base64 and room for the envelope's own members. @spec D2-8 */
export const UPLOAD_CHARS = Math.floor((DOCUMENT_MAX_MB * 1024 * 1024 * 16) / 9) + 64 * 1024;
/** The body around one such string. @gap D2-8 */
export const UPLOAD_BODY_BYTES = UPLOAD_CHARS + 64 * 1024;
/** A file that was shared once can be fetched so long; after that only its digest is known. @gap D1-2.8 */
export const SHARED_ONCE_FILE_DAYS = 30;
/** A photo, as a data URI. @gap D1-8 */
export const PHOTO_CHARS = 8 * 1024 * 1024;

// Flows and plugins

/** Nesting of expressions in constants, defaults and bounds. @spec D2-8 */
export const EXPRESSION_LEVELS = 64;
/** Run data is deleted after the level was lost. @spec D2-8 */
export const RUN_RETENTION_DAYS = { without_flows: 30, free: 7 } as const;
/** @gap D2-8 */
export const RUN_PARTIES = 20;
/** Answers of one turn. @gap D2-8 */
export const TURN_ANSWERS = 200;
/** @spec D1-8 */
export const PLUGIN_TOKEN_CHARS = 4096;
export const PLUGIN_CALLS_PER_MINUTE = 60; // @spec D2-8
/** Calls at once, time for one, and what a reply may weigh. @gap D2-8 */
export const PLUGIN_CALL = { in_flight: 8, seconds: 10, reply_bytes: 1024 * 1024 } as const;
/** @gap D2-4.5 */
export const PLUGIN_PASS_SECONDS = 300;

// The suite's bus

/** What the bus must carry in one message: the answer to a drain has to get through, since the platform forgets it. @gap D1-4.3 */
export const BUS_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Values of one batch to the decryptor. @gap D1-2.3 */
export const OPEN_BATCH_VALUES = 200;
/** The salt of a verified value, as it is hashed. @gap D1-2.7 */
export const VERIFIED_SALT_CHARS = 1024;
