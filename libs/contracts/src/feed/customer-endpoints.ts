import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { WRITES } from '../core/refusals.ts';
import { CustomerEvent } from './customer-event.ts';

/** A person, or a company acting as a customer, and the services it shares with. @spec D1-5.8 @gap D1-4.7 */
const ROUTE = { tag: 'customer', at: ['region'], callers: ['person', 'account', 'portal'] } as const;

/** Drains as the service's feed does. @spec D1-4.6 */
export const drainCustomerChanges = endpoint({
  ...ROUTE,
  name: 'drain_customer_changes',
  method: 'GET',
  takes: true,
  path: '/api/customer/changes',
  spec: 'D1-4.6',
  summary: "Take the oldest events of the account's own feed",
  description:
    "Hands out the oldest events of the caller's own feed and deletes them, for a company that acts as a customer, or for an app. " +
    'Store them before anything else, and call again at once while `more` is true. An answer that left and that nobody read is ' +
    'gone: there is no lease here, so compare with the connections after a crash.',
  status: 200,
  result: z.object({ events: z.array(CustomerEvent), more: z.boolean() }),
  refusals: WRITES,
  limit: 'changes',
});
