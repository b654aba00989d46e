import { WEBHOOK_BACKLOG_DAYS } from '@cds/contracts';

/** For clocks that differ, and for a delivery that was under way when its event grew too old. */
const SLACK_HOURS = 1;

/** How old an event may be when a webhook delivers it. Repeated deliveries are known for as long: none passes in between. @spec D1-8 */
export const DELIVERED_WITHIN_MS = (WEBHOOK_BACKLOG_DAYS * 24 + SLACK_HOURS) * 60 * 60 * 1000;
