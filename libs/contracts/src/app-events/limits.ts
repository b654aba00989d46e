/** Events that are kept for a phone that is away: how many of one person, and for how long. @gap D1-8 */
export const APP_EVENTS_KEPT = { per_person: 200, hours: 24 } as const;
/** Streams that one person holds open in one process; a newer one ends the oldest. @gap D1-8 */
export const APP_STREAMS_PER_PERSON = 5;
