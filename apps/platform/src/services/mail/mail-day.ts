const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the day of a moment, in UTC. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/** Returns when the next day begins, in UTC. */
export const nextDay = (now: Date): Date => new Date(Date.parse(dayOf(now)) + DAY_MS);
