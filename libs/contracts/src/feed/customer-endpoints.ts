import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { CustomerEvent } from './customer-event.ts';

/** A company acting as a customer. The phones of persons have their own events. @spec D1-4.6 */
const ROUTE = { tag: 'customer', at: ['region'], callers: ['account', 'portal'] } as const;

/** Drains the company's own feed in the same way as the feed of a service. @spec D1-4.6 */
export const drainCustomerChanges = endpoint('drain_customer_changes', 'GET /api/customer/changes', {
  ...ROUTE,
  takes: true,
  spec: 'D1-4.6',
  summary: "Take the oldest events of the company's own feed as a customer",
  description:
    'Hands out the oldest events of the feed that the company has as a customer of other companies, and deletes them: a connection ' +
    'that a service ended, a message or document that came, fields that are asked for anew. They carry ids and no values: read what ' +
    'they name. An event waits for seven days; of several changes of status of one document, and of several requests on one ' +
    'connection, only the latest comes. The `id` tells an event that came twice. Store them before anything else, and call again at ' +
    'once while `more` is true. An answer that left and that nobody read is gone: there is no lease here, so compare with the ' +
    'connections after a crash.',
  result: z.object({ events: z.array(CustomerEvent), more: z.boolean() }),
  limit: 'changes',
  refusals: ['db.writes_paused'],
});
