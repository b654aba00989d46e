import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging, whole } from '../core/page.ts';
import { sealedUpTo } from '../core/sealed.ts';
import { Id, idOr } from '../core/text.ts';
import { MESSAGE_CHARS } from './limits.ts';
import { Message, SentMessage, UnreadMessages } from './shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listMessages = endpoint('list_messages', 'GET /api/app/messages', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'The messages of a connection, newest first',
  description:
    'The messages of one connection in both directions, newest first, in pages. Bodies are ciphertext: those of the service are sealed ' +
    'to you, your own to the service. `read_at` says when the reader had read it.',
  query: Paging.extend({ connection_id: Id.describe('The connection whose messages are listed') }),
  result: page(Message),
  refusals: ['request.invalid', 'company_data.connection_not_found'],
});

export const writeMessage = endpoint('write_message', 'POST /api/app/messages', {
  ...ROUTE,
  spec: 'D1-6.1',
  summary: 'Write to a service, sealed to its key',
  description:
    'Writes to the service of a connection, sealed to the key of the service. It gets `message_received`. The same wrapper sent again is ' +
    'the same message: a call whose answer was lost can be repeated.',
  act: 'connection_id',
  body: z.strictObject({ connection_id: Id, body: sealedUpTo(MESSAGE_CHARS, 'request.invalid') }),
  status: 201,
  result: SentMessage,
  refusals: ['request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
  limit: 'messages',
});

export const readMessages = endpoint('read_messages', 'POST /api/app/messages/read', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'Mark what a service wrote as read, up to one of its messages; a repeat changes nothing',
  description:
    'Marks the messages of the service as read, up to and including the one you name, on all phones of the person. Repeating it is ' +
    'harmless.',
  body: z.strictObject({ connection_id: Id, message_id: idOr('company_data.ack_boundary_invalid') }),
  refusals: ['request.invalid', 'company_data.connection_not_found', 'company_data.ack_boundary_invalid'],
});

export const listUnread = endpoint('list_unread', 'GET /api/app/messages/unread', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'The connections with messages that the person has not read, and how many on each',
  description: 'How many messages of each service wait for the person, and the oldest of them. Who has waited longest comes first.',
  result: whole(UnreadMessages),
});
