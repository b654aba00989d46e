/** Values the specification fixes, and values it leaves open (marked @gap) that we chose. */

/** Largest request body a structured route reads, unless its contract says more. @gap D1-8 */
export const BODY_BYTES = 1024 * 1024;
/** The same for a route that anyone may call without a token: forms, and keys of a new account. @gap D1-8 */
export const ANYONE_BODY_BYTES = 64 * 1024;
/** Deepest nesting of a structured body: enough for a flow draft whose expressions use all their levels. @gap D1-8 */
export const BODY_DEPTH = 256;
/**
 * Most values in a structured body, members and entries of lists alike: five times as many as a flow definition may hold. A short value
 * takes more than twenty times its length of memory, which BODY_BYTES and the limits of longer bodies do not count. @gap D1-8
 */
export const BODY_VALUES = 100_000;
/** Entries of a list in one answer: usually, and at most when the caller asks for more. @gap D1-4.7 */
export const PAGE_ITEMS = { usual: 50, most: 200 } as const;

/** A token bucket: how many calls may come at once, and how fast the bucket fills again. */
export interface Bucket {
  burst: number;
  per_second: number;
  /** What the bucket counts by: the source address, the client, or the company with all its clients. */
  by: 'address' | 'client' | 'company';
}

/** The rate limits. Every route is charged to one bucket; the specification names the kinds and no numbers. @spec D1-5.4 @gap D1-8 */
export const RATE_LIMITS = {
  token: { burst: 30, per_second: 1, by: 'address' },
  /** Pages that wait for a phone and load themselves again: those of several dozen people behind one address. @gap D1-4.6 */
  sign_in_wait: { burst: 100, per_second: 10, by: 'address' },
  connections: { burst: 10, per_second: 10 / 60, by: 'client' },
  changes: { burst: 60, per_second: 10, by: 'client' },
  data: { burst: 100, per_second: 20, by: 'client' },
  /** Polls of one challenge, in addition to what the client is charged for the call. @gap D1-8 */
  challenge_poll: { burst: 60, per_second: 1, by: 'client' },
  /** Persons whom a service asks to connect. @gap D1-8 */
  connect_requests: { burst: 100, per_second: 10 / 60, by: 'client' },
  /** Users whom a company makes its delegates, and services that it grants to them. @gap D1-8 */
  delegates: { burst: 100, per_second: 10 / 60, by: 'company' },
  /** Messages that a person writes to services. @gap D1-8 */
  messages: { burst: 30, per_second: 0.5, by: 'client' },
  /** PDFs that anyone has verified. @gap D1-8 */
  verify: { burst: 10, per_second: 10 / 60, by: 'address' },
  /** What verification providers send, and whoever reads their list. @gap D1-8 */
  verification: { burst: 100, per_second: 5, by: 'address' },
  /** Heads and leaves of the transparency log. @gap D1-8 */
  transparency: { burst: 200, per_second: 5, by: 'address' },
  /** Calls to plugins. Passes are checked before anything else. @gap D2-8 */
  plugin_calls: { burst: 200, per_second: 20, by: 'address' },
  /** Calls with an invalid token; no route is charged to this bucket. @gap D1-8 */
  refused_token: { burst: 20, per_second: 0.5, by: 'address' },
} as const satisfies Record<string, Bucket>;
export type RateLimit = keyof typeof RATE_LIMITS;

/** The parameters by which a private key is encrypted. @spec D1-8 @spec D1-2.4 */
export const KEY_WRAP = { iterations: 100_000, salt_bytes: 16, iv_bytes: 12 } as const;
/** The size of an RSA-2048 private key as PKCS#8 DER: about 1,218 bytes, a few less when a number begins with zeros. @gap D1-2.4 */
export const PRIVATE_KEY_BYTES = { least: 1150, most: 4096 } as const;
/** Sizes of an envelope's members: an RSA-2048 wrapped key, a GCM IV, at least a GCM tag. @spec D1-2.3 */
export const ENVELOPE = { key_bytes: 256, iv_bytes: 12, tag_bytes: 16 } as const;
/** @spec D2-8 */
export const ONE_TIME_KEY_BYTES = 32;

/** @spec D1-8 */
export const SERVICE_CODE_CHARS = 8;

/** The longest name, label or title. @gap D1-8 */
export const NAME_CHARS = 200;
/** An idempotency key: its length, and how long it is remembered. @gap D1-4.5 */
export const IDEMPOTENCY_KEY = { chars: 255, hours: 24 } as const;
/** The longest sealed value that is no file, so that it fits into BODY_BYTES. @gap D1-8 */
export const SEALED_CHARS = 256 * 1024;

/** @gap D2-8 */
export const DOCUMENT_MAX_MB = 25;
/** Length of the sealed string of a file: two layers of base64 and room for the envelope's own members. @spec D2-8 */
export const UPLOAD_CHARS = Math.floor((DOCUMENT_MAX_MB * 1024 * 1024 * 16) / 9) + 64 * 1024;
/** The largest body around one such string. @gap D2-8 */
export const UPLOAD_BODY_BYTES = UPLOAD_CHARS + 64 * 1024;
/** The largest PDF that can be verified: the largest document, with what a seal and its Signatures page add. @gap D1-8 */
export const VERIFIED_FILE_BYTES = (DOCUMENT_MAX_MB + 2) * 1024 * 1024;
/** The longest photo, as a data URI. @gap D1-8 */
export const PHOTO_CHARS = 8 * 1024 * 1024;

/** The largest message of the bus: the answer to a drain has to get through, since the platform deletes the events. @gap D1-4.3 */
export const BUS_MESSAGE_BYTES = 8 * 1024 * 1024;
