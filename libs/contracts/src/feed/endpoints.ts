import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { WRITES } from '../core/refusals.ts';
import { Id, idOr, Traceparent } from '../core/text.ts';
import { FeedEvent } from './feed-event.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

const Drained = z.object({
  events: z.array(FeedEvent),
  more: z.boolean(),
  lease: Id.optional(),
  traces: z.array(z.object({ id: Id, traceparent: Traceparent })).optional(),
});

/**
 * What a drain answered is gone at the platform: an event that does not fit may not spoil the others, so each is read where it is stored.
 */
const ReceivedDrain = Drained.extend({ events: z.array(z.unknown()), traces: Drained.shape.traces.catch(undefined) });

/**
 * The server deletes what it returns. An unknown webhook must never drain the plain channel, so the query is strict. @spec D1-4.3
 *
 * Beyond the specification, for who asks: with `lease` nothing is deleted yet. The first call says `new`, the answer names a lease, and
 * the next call, which names it, acknowledges what came with it. What is not acknowledged comes again, with the same ids. Beside the
 * events come the traces of the changes that made them, so that one trace leads from a person's edit to its handler. @gap D1-4.3
 */
export const drainChanges = endpoint({
  ...ROUTE,
  name: 'drain_changes',
  method: 'GET',
  takes: true,
  path: '/api/company-data/changes',
  spec: 'D1-4.3',
  summary: "Take the oldest events of the feed, or of one webhook's backlog",
  query: z.strictObject({ webhook_id: idOr('services.webhook_not_found').optional(), lease: Id.optional() }),
  status: 200,
  result: Drained,
  received: ReceivedDrain,
  refusals: [...WRITES, 'request.invalid', 'services.webhook_not_found'],
  limit: 'changes',
});
