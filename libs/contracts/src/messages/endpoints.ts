import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { ofConnection } from '../core/params.ts';
import { sealedUpTo } from '../core/sealed.ts';
import { Id, IdempotencyKey, idOr } from '../core/text.ts';
import { BROADCAST_MESSAGES, MESSAGE_CHARS } from './limits.ts';
import { SentMessage, UnreadMessages } from './shapes.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

/** A message to one reader. Its key lets a sender repeat a call, although the text was sealed anew. @gap D1-4.7 */
const outgoing = {
  body: sealedUpTo(MESSAGE_CHARS, 'request.invalid'),
  idempotency_key: IdempotencyKey.optional(),
};

export const sendMessage = endpoint('send_message', 'POST /api/company-data/connections/{connectionId}/messages', {
  ...ROUTE,
  tag: 'messages',
  spec: 'D1-4.7',
  summary: "Write to a person, sealed to the person's key; it acknowledges nothing",
  description:
    "Writes one message to the customer of a connection. The body is a wrapper sealed to that person's key, which " +
    '`message_received` carries and `read_public_key` answers. It does not mark their messages as read. The same wrapper sent again ' +
    'on the connection is the same message, and so is the same `idempotency_key`, whatever its body: a call whose answer was lost can ' +
    'be repeated.',
  params: ofConnection,
  body: z.strictObject(outgoing),
  status: 201,
  result: SentMessage,
  refusals: ['request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});

export const broadcastMessage = endpoint('broadcast_message', 'POST /api/company-data/messages', {
  ...ROUTE,
  tag: 'messages',
  spec: 'D1-4.7',
  summary: 'Write to many connections at once, each message sealed to its reader: all are sent or none',
  description:
    'Writes to many connections in one call, each body sealed to its reader. One connection that is unknown, or one body that is ' +
    'no wrapper, and nothing is sent: leave it out and repeat. What was sent before, by its wrapper or its key, is not sent twice.',
  body: z.strictObject({
    messages: z
      .array(z.strictObject({ connection_id: Id, ...outgoing }))
      .min(1)
      .max(BROADCAST_MESSAGES),
  }),
  largest: BROADCAST_MESSAGES * 8 * 1024,
  status: 201,
  result: z.object({ messages: z.array(SentMessage) }),
  refusals: ['request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});

export const acknowledgeMessages = endpoint('acknowledge_messages', 'POST /api/company-data/connections/{connectionId}/messages/read', {
  ...ROUTE,
  tag: 'messages',
  idempotent: true,
  spec: 'D1-4.2',
  summary: "Mark a person's messages as read, up to one of them; a repeat changes nothing",
  description:
    'Marks what the person wrote as read, up to and including the message you name, so that the person sees it was read. Repeating ' +
    'it is harmless.',
  params: ofConnection,
  body: z.strictObject({ message_id: idOr('company_data.ack_boundary_invalid') }),
  refusals: ['request.invalid', 'company_data.connection_not_found', 'company_data.ack_boundary_invalid'],
});

export const listUnreadMessages = endpoint('list_unread_messages', 'GET /api/company-data/messages/unread', {
  ...ROUTE,
  tag: 'messages',
  spec: 'D1-4.2',
  summary: 'The connections with messages that you have not acknowledged, and how many on each',
  description:
    'The connections on which persons wrote something that is not acknowledged yet, with how many messages, and the oldest of them. Who ' +
    'has waited longest comes first. The messages themselves come on the feed.',
  query: Paging,
  result: page(UnreadMessages),
  refusals: ['request.invalid'],
});
