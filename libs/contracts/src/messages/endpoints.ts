import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing } from '../core/page.ts';
import { connectionId, ofConnection } from '../core/params.ts';
import { WRITES } from '../core/refusals.ts';
import { sealedUpTo } from '../core/sealed.ts';
import { Id, idOr, Timestamp } from '../core/text.ts';
import { BROADCAST_MESSAGES, MESSAGE_CHARS } from './limits.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

const body = sealedUpTo(MESSAGE_CHARS, 'request.invalid');
const Sent = z.object({ message_id: Id, connection_id: Id, created_at: Timestamp });

export const sendMessage = endpoint({
  ...ROUTE,
  tag: 'messages',
  name: 'send_message',
  method: 'POST',
  path: '/api/company-data/connections/{connectionId}/messages',
  spec: 'D1-4.7',
  summary: "Write to a person, sealed to the person's key; it acknowledges nothing",
  description:
    "Writes one message to the customer of a connection. The body is a wrapper sealed to that person's key, which " +
    '`message_received` carries and `read_public_key` answers. It does not mark their messages as read.',
  params: ofConnection,
  body: z.strictObject({ body }),
  status: 201,
  result: Sent,
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});

export const broadcastMessage = endpoint({
  ...ROUTE,
  tag: 'messages',
  name: 'broadcast_message',
  method: 'POST',
  path: '/api/company-data/messages',
  spec: 'D1-4.7',
  summary: 'Write to many connections at once, each message sealed to its reader: all are sent or none',
  description:
    'Writes to many connections in one call, each body sealed to its reader. One connection that is unknown, or one body that is ' +
    'no wrapper, and nothing is sent: leave it out and repeat.',
  body: z.strictObject({
    messages: z
      .array(z.strictObject({ connection_id: connectionId, body }))
      .min(1)
      .max(BROADCAST_MESSAGES),
  }),
  largest: BROADCAST_MESSAGES * 8 * 1024,
  status: 201,
  result: z.object({ messages: z.array(Sent) }),
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});

export const acknowledgeMessages = endpoint({
  ...ROUTE,
  tag: 'messages',
  name: 'acknowledge_messages',
  method: 'POST',
  path: '/api/company-data/connections/{connectionId}/messages/read',
  spec: 'D1-4.2',
  summary: "Mark a person's messages as read, up to one of them; a repeat changes nothing",
  description:
    'Marks what the person wrote as read, up to and including the message you name, so that the person sees it was read. Repeating ' +
    'it is harmless.',
  params: ofConnection,
  body: z.strictObject({ message_id: idOr('company_data.ack_boundary_invalid') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'company_data.ack_boundary_invalid'],
});
