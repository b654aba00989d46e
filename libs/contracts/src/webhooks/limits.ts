export const WEBHOOK_GRACE_MINUTES = 10; // @spec D1-8
export const WEBHOOK_BACKLOG_DAYS = 7; // @spec D1-8
/** The age of a backlog, in days, from which alerts are sent daily, then hourly. @spec D1-6.3 */
export const STALE_BACKLOG_DAYS = { daily: 2, hourly: 5 } as const;
/** How long deliveries also carry a signature by the previous HMAC secret. @gap D1-6.4 */
export const HMAC_ROTATION_HOURS = 24;
/** The bytes of a `whsec_` secret, by Standard Webhooks. @gap D1-6.4 */
export const STANDARD_SECRET_BYTES = { least: 24, most: 64, generated: 32 } as const;
/** How many keys of one region may sign at once: two during a rotation, and one more while it is repaired. @gap D1-6.4 */
export const WEBHOOK_KEYS_PER_REGION = 3;
/** @gap D1-8 */
export const WEBHOOKS_PER_SERVICE = 20;
/** A backlog is counted up to this number: a backlog that shows it has at least as many events. @gap D1-3.2 */
export const COUNTED_BACKLOG = 10_000;
/** The time for one delivery. At most this many bytes of its answer are read, and then dropped. @gap D1-8 */
export const WEBHOOK_DELIVERY = { seconds: 10, answer_bytes: 64 * 1024 } as const;
