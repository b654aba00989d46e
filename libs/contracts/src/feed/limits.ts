export const FEED_RETENTION_DAYS = 7; // @spec D1-8
/** Events of one drain. @gap D1-4.3 */
export const DRAIN_EVENTS = 500;
/** Bytes of one drain, as JSON, unless one event is more; and the time its answer has to leave in, before it is taken back. @gap D1-4.3 */
export const DRAIN_ANSWER = { bytes: 4 * 1024 * 1024, seconds: 20 } as const;
