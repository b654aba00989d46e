import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { PAGE_ITEMS } from '../core/limits.ts';
import { AppEvent, AppEventId } from './events.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const streamAppEvents = endpoint('stream_app_events', 'GET /api/app/events', {
  ...ROUTE,
  spec: 'D1-1',
  summary: 'What happens, as it happens: a stream of server-sent events',
  description:
    'A stream that stays open. Each event has an `id`, its kind as `event`, and what it is about as JSON in `data`; a comment ' +
    'comes every half a minute while nothing happens. The stream begins with `reset`: read the lists you show (`GET ' +
    '/api/app/challenges`), and go on from there. Come back with the last `id` as `Last-Event-ID` and you get what you missed; ' +
    'where that is no longer kept, you get `reset` again. Pass over kinds that you do not know. The stream ends when the token ' +
    'does, or the session: come back with a new token. A person holds five streams; one more ends the oldest.',
  headers: z.object({
    'last-event-id': AppEventId.optional().describe('The `id` of the last event you have. Left out, the stream begins now'),
  }),
  result: AppEvent,
  produces: 'events',
  refusals: ['request.invalid'],
});

export const listAppEvents = endpoint('list_app_events', 'GET /api/app/events/recent', {
  ...ROUTE,
  spec: 'D1-1',
  summary: 'What happened since, for phones that cannot hold a stream',
  description:
    'The same events as on the stream, the oldest first. Send `last_event_id` as `after` with the next call. Without `after`, or where ' +
    'what followed it is no longer kept, you get one event `reset`: read the lists you show, and go on from there.',
  query: z.strictObject({
    after: AppEventId.optional().describe('`last_event_id` of the answer before, or the `id` of the last event of a stream'),
    limit: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(PAGE_ITEMS.most)
      .default(PAGE_ITEMS.usual)
      .describe('How many events to look at for this answer'),
  }),
  result: z.object({ events: z.array(AppEvent), last_event_id: AppEventId, more: z.boolean() }),
  refusals: ['request.invalid'],
});
