import { WEBHOOK_BACKLOG_DAYS, WEBHOOK_GRACE_MINUTES } from '@codase/contracts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns when an endpoint that failed now is probed. @spec D1-3.2 @spec D1-8 */
export const nextProbe = (now: Date): Date => new Date(now.getTime() + WEBHOOK_GRACE_MINUTES * MINUTE_MS);

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Returns the moment before which waiting events are lost. @spec D1-8 */
export const backlogFrom = (now: Date): Date => daysBefore(now, WEBHOOK_BACKLOG_DAYS);
