export const FEED_RETENTION_DAYS = 7; // @spec D1-8
/** The most events of one drain. @gap D1-4.3 */
export const DRAIN_EVENTS = 500;
/**
 * The most bytes of one drain, as JSON, unless a single event is longer; and the seconds within which its answer must have left, before the
 * events are taken back. @gap D1-4.3
 */
export const DRAIN_ANSWER = { bytes: 4 * 1024 * 1024, seconds: 20 } as const;
