import { to, type Table } from './table.ts';

/** How a webhook's endpoint is doing. @spec D1-3.2 */
export type WebhookHealth = 'running' | 'bad' | 'unknown';
/** What happens to a webhook: an event arises, a delivery or probe is answered, ten minutes have passed. */
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
 * One failure parks what is pending and what follows; a probe with the oldest parked event decides. A backlog that was drained by
 * hand leaves nothing to probe with: then the next event is the probe; while one is under way, there is no second. @spec D1-3.2 @gap D1-3.2
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

/** What an answer means: only 200 is success. @spec D1-6.3 */
export const signalOfAnswer = (answer: number | 'timeout' | 'no connection'): WebhookSignal => (answer === 200 ? 'delivered' : 'failed');
