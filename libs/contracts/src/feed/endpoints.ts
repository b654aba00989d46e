import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Id, idOr, Traceparent } from '../core/text.ts';
import { FeedEvent } from './feed-event.ts';
import { DRAIN_ANSWER, DRAIN_EVENTS } from './limits.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

const Drained = z.object({
  events: z.array(FeedEvent),
  more: z.boolean(),
  lease: Id.optional().describe('Acknowledges these events when the next call names it; present where the call named a lease.'),
  traces: z.array(z.object({ id: Id, traceparent: Traceparent })).optional(),
});

/** The answer to a drain as a client reads it. Each event is checked where it is stored, so that none spoils the others. */
const ReceivedDrain = Drained.extend({ events: z.array(z.unknown()), traces: Drained.shape.traces.catch(undefined) });

const DESCRIPTION = `
Answers the oldest events, at most ${DRAIN_EVENTS} and about ${DRAIN_ANSWER.bytes / (1024 * 1024)} MB, and deletes them once the answer has
left whole. When the connection breaks before that, or the answer has not left within ${DRAIN_ANSWER.seconds} seconds, nothing is deleted:
the same events come again, with the same ids.

**What the server cannot know.** An answer that fitted into the buffers of the operating systems on its way, and was never read because the
caller crashed or closed the connection, cannot be told apart from one that was delivered: its events are deleted and do not come again. An
answer of a few kilobytes always fits, one of a megabyte may.

**To be sure, drain with a lease.** Call with \`lease=new\` first. The answer names a \`lease\`, and nothing is deleted yet. When you have
stored the events, name that lease in the next call: it deletes what came with it and answers the next events, with the next lease. What is
not acknowledged comes again, with the same ids. Only the latest lease of a channel counts.

Drain a channel one call at a time, and store \`id\` to recognise what comes again.
`.trim();

/**
 * The server deletes what it returns. An unknown webhook must never drain the plain channel, so the query is strict. @spec D1-4.3
 *
 * Beyond the specification, on request: with `lease` nothing is deleted yet. The first call says `new`, and the answer names a lease. The
 * next call names that lease, and so acknowledges the events that came with it. Events that are not acknowledged come again, with the same
 * ids. The answer also has the traces of the changes that made the events, so that one trace leads from a person's edit to its handler.
 * @gap D1-4.3
 */
export const drainChanges = endpoint('drain_changes', 'GET /api/company-data/changes', {
  ...ROUTE,
  takes: true,
  spec: 'D1-4.3',
  summary: "Take the oldest events of the feed, or of one webhook's backlog",
  description: DESCRIPTION,
  query: z.strictObject({
    webhook_id: idOr('services.webhook_not_found')
      .optional()
      .describe('Drains what waits for this webhook in place of the feed of the service.'),
    lease: Id.optional().describe(
      'Deletes nothing until it is acknowledged: `new`, or the lease that the last answer named. Without it, events are deleted when ' +
        'they were sent.',
    ),
  }),
  result: Drained,
  received: ReceivedDrain,
  refusals: ['db.writes_paused', 'request.invalid', 'services.webhook_not_found'],
  limit: 'changes',
});
