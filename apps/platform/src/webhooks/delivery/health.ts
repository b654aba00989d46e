import { STALE_BACKLOG_DAYS, WEBHOOK_GRACE_MINUTES } from '@cds/contracts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When an endpoint that failed now is asked again. @spec D1-3.2 @spec D1-8 */
export const nextProbe = (now: Date): Date => new Date(now.getTime() + WEBHOOK_GRACE_MINUTES * MINUTE_MS);

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Whether the owner is to be told, once more, of a backlog that grows old: daily from two days on, hourly from five. @spec D1-6.3 */
export function isAlertDue({ oldest_at, alerted_at }: { oldest_at: Date; alerted_at: Date | null }, now: Date): boolean {
  if (oldest_at > daysBefore(now, STALE_BACKLOG_DAYS.daily)) return false;
  const pauseMs = oldest_at <= daysBefore(now, STALE_BACKLOG_DAYS.hourly) ? HOUR_MS : DAY_MS;
  return alerted_at === null || alerted_at < oldest_at || now.getTime() - alerted_at.getTime() >= pauseMs;
}
