/** How many events of one person are kept for a phone that is away, and for how long. @gap D1-8 */
export const APP_EVENTS_KEPT = { per_person: 200, hours: 24 } as const;
/** How many streams one person may hold open in one process; a newer one ends the oldest. @gap D1-8 */
export const APP_STREAMS_PER_PERSON = 5;
