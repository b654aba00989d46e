import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { connectionId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { sealedUpTo } from '../core/sealed.ts';
import { Id, Timestamp } from '../core/text.ts';
import { MESSAGE_CHARS } from './limits.ts';
import { Message } from './shapes.ts';

/** What only a phone does. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listMessages = endpoint({
  ...ROUTE,
  name: 'list_messages',
  method: 'GET',
  path: '/api/app/messages',
  spec: 'D1-4.2',
  summary: 'The messages of a connection, newest first',
  description: 'The messages of one connection in both directions, newest first, in pages. Bodies are ciphertext: yours are sealed to you.',
  query: Paging.extend({ connection_id: connectionId.describe('The connection whose messages are listed') }),
  status: 200,
  result: page(Message),
  refusals: [...AUTHENTICATED, 'request.invalid', 'company_data.connection_not_found'],
});

export const writeMessage = endpoint({
  ...ROUTE,
  name: 'write_message',
  method: 'POST',
  path: '/api/app/messages',
  spec: 'D1-6.1',
  summary: 'Write to a service, sealed to its key',
  description: 'Writes to the service of a connection, sealed to the key of the service. It gets `message_received`.',
  body: z.strictObject({ connection_id: connectionId, body: sealedUpTo(MESSAGE_CHARS, 'request.invalid') }),
  status: 201,
  result: z.object({ message_id: Id, connection_id: Id, created_at: Timestamp }),
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});
