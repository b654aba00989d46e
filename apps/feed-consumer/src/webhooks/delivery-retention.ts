import { WEBHOOK_BACKLOG_DAYS } from '@codase/contracts';
import { namesOf, type Config } from '../config.ts';

/** Extra time for clocks that differ, and for a delivery that was under way when its event became too old. */
const SLACK_HOURS = 1;

/** How old an event may be when a webhook delivers it. Repeats are recognised for as long, so that none is stored twice. @spec D1-8 */
export const DELIVERED_WITHIN_MS = (WEBHOOK_BACKLOG_DAYS * 24 + SLACK_HOURS) * 60 * 60 * 1000;

/** Returns how long events are kept: at least as long as webhooks deliver them, because until then a repeat must be recognised. */
export function keptMs({ KEPT_DAYS, CHANNELS }: Pick<Config, 'KEPT_DAYS' | 'CHANNELS'>): number {
  const setting = KEPT_DAYS * 24 * 60 * 60 * 1000;
  return namesOf(CHANNELS, 'webhook').length > 0 ? Math.max(setting, DELIVERED_WITHIN_MS) : setting;
}
