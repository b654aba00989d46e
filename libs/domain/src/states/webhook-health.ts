import { to, type Table } from './table.ts';

/** The health of a webhook's endpoint. @spec D1-3.2 */
export type WebhookHealth = 'running' | 'bad' | 'unknown';
/** What happens to a webhook: a new event, the answer to a delivery or probe, or the end of the ten minutes of grace. */
export type WebhookSignal = 'event' | 'delivered' | 'failed' | 'grace over';
/** What else must happen. */
export type WebhookEffect =
  | 'deliver event'
  | 'park event'
  | 'park pending'
  | 'start grace'
  | 'probe oldest'
  | 'replay backlog'
  | 'log change';

/**
 * One failure parks the pending events and those that follow. A probe with the oldest parked event decides when delivery goes on. If the
 * backlog was drained by hand, there is no event to probe with, and the next event is the probe. There is only one probe at a time.
 * @spec D1-3.2 @gap D1-3.2
 */
export const WEBHOOK_HEALTH: Table<WebhookHealth, WebhookSignal, WebhookEffect> = {
  running: {
    event: to('running', 'deliver event'),
    delivered: to('running'),
    failed: to('bad', 'park pending', 'start grace', 'log change'),
  },
  bad: {
    event: to('bad', 'park event'),
    'grace over': to('unknown', 'probe oldest', 'log change'),
  },
  unknown: {
    event: to('unknown', 'park event', 'probe oldest'),
    delivered: to('running', 'replay backlog', 'log change'),
    failed: to('bad', 'start grace', 'log change'),
  },
};

/** Returns what an answer means. Only 200 is success. @spec D1-6.3 */
export const signalOfAnswer = (answer: number | 'timeout' | 'no connection'): WebhookSignal => (answer === 200 ? 'delivered' : 'failed');
