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
  status: 200,
  result: z.object({ events: z.array(CustomerEvent), more: z.boolean() }),
  refusals: WRITES,
  limit: 'changes',
});
