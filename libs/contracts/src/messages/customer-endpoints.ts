import { endpoint, withoutDevice } from '../core/endpoint.ts';
import * as phone from './person-endpoints.ts';

/** The messages that a company writes and reads as a customer, in the same shapes as on a phone. @spec D1-5.8 @gap D1-4.7 */
const ROUTE = { tag: 'customer', callers: ['account', 'portal'] } as const;

export const listMessages = endpoint('list_customer_messages', 'GET /api/customer/messages', {
  ...phone.listMessages,
  ...ROUTE,
  summary: 'The messages of a connection of the company as a customer, newest first',
  description:
    'The messages of one connection in both directions, newest first, in pages. Bodies are ciphertext: those of the service are sealed ' +
    "to the company's account key, its own to the service. `from` is `person` for the customer's side. `read_at` says when the reader " +
    'had read it.',
});

export const writeMessage = endpoint('write_customer_message', 'POST /api/customer/messages', {
  ...withoutDevice(phone.writeMessage),
  ...ROUTE,
  summary: 'Write to a service as its customer, sealed to its key',
});

export const readMessages = endpoint('read_customer_messages', 'POST /api/customer/messages/read', {
  ...phone.readMessages,
  ...ROUTE,
  description:
    'Marks the messages of the service as read, up to and including the one you name, for all clients of the company. Repeating it is ' +
    'harmless.',
});

export const listUnread = endpoint('list_customer_unread', 'GET /api/customer/messages/unread', {
  ...phone.listUnread,
  ...ROUTE,
  summary: 'The connections with messages that the company has not read as a customer, and how many on each',
  description: 'How many messages of each service wait for the company, and the oldest of them. Who has waited longest comes first.',
});
