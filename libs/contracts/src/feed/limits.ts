export const FEED_RETENTION_DAYS = 7; // @spec D1-8
/** The most events of one drain. @gap D1-4.3 */
export const DRAIN_EVENTS = 500;
/** The most bytes of one drain, unless one event is longer; and the seconds in which its answer must have left. @gap D1-4.3 */
export const DRAIN_ANSWER = { bytes: 4 * 1024 * 1024, seconds: 20 } as const;
