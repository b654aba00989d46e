/** The day of a moment, in UTC. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);
