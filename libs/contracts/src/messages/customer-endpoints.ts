import { endpoint } from '../core/endpoint.ts';
import * as phone from './person-endpoints.ts';

/** The messages that a company writes and reads as a customer, in the same shapes as on a phone. @spec D1-5.8 @gap D1-4.7 */
const ROUTE = { tag: 'customer', callers: ['account', 'portal'] } as const;

export const listMessages = endpoint({
  ...phone.listMessages,
  ...ROUTE,
  name: 'list_customer_messages',
  path: '/api/customer/messages',
  summary: 'The messages of a connection of the company as a customer, newest first',
  description:
    'The messages of one connection in both directions, newest first, in pages. Bodies are ciphertext: those of the service are sealed ' +
    "to the company's account key, its own to the service. `from` is `person` for the customer's side. `read_at` says when the reader " +
    'had read it.',
});

export const writeMessage = endpoint({
  ...phone.writeMessage,
  ...ROUTE,
  name: 'write_customer_message',
  path: '/api/customer/messages',
  summary: 'Write to a service as its customer, sealed to its key',
});

export const readMessages = endpoint({
  ...phone.readMessages,
  ...ROUTE,
  name: 'read_customer_messages',
  path: '/api/customer/messages/read',
  description:
    'Marks the messages of the service as read, up to and including the one you name, for all clients of the company. Repeating it is ' +
    'harmless.',
});

export const listUnread = endpoint({
  ...phone.listUnread,
  ...ROUTE,
  name: 'list_customer_unread',
  path: '/api/customer/messages/unread',
  summary: 'The connections with messages that the company has not read as a customer, and how many on each',
  description: 'How many messages of each service wait for the company, and the oldest of them. Who has waited longest comes first.',
});
