import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { FeedEvent } from '../events/feed-event.ts';
import { fails } from '../fails.ts';
import { BROADCAST_MESSAGES, MESSAGE_CHARS } from '../limits.ts';
import { AUTHENTICATED, WRITES } from '../refusals.ts';
import { Nothing, page, Paging } from '../shapes/answers.ts';
import { Connection, ConnectionDetail } from '../shapes/connection.ts';
import { BinaryAnswer } from '../shapes/file.ts';
import { sealedUpTo } from '../shapes/sealed.ts';
import { Id, idOr, Line, Timestamp, Traceparent } from '../shapes/text.ts';
import { connectionId, flowId, ofConnection } from './params.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

export const listConnections = endpoint({
  ...ROUTE,
  name: 'list_connections',
  method: 'GET',
  path: '/api/company-data/connections',
  spec: 'D1-4.2',
  summary: 'All connections with the values they provide, for a first full sync',
  query: Paging,
  status: 200,
  result: page(Connection),
  refusals: [...AUTHENTICATED, 'request.invalid'],
  limit: 'connections',
});

export const readConnection = endpoint({
  ...ROUTE,
  name: 'read_connection',
  method: 'GET',
  path: '/api/company-data/connections/{connectionId}',
  spec: 'D1-4.2',
  summary: 'One connection with the fields it provides',
  params: ofConnection,
  status: 200,
  result: ConnectionDetail,
  refusals: [...AUTHENTICATED, 'company_data.connection_not_found'],
});

export const endConnection = endpoint({
  ...ROUTE,
  name: 'end_connection',
  method: 'DELETE',
  path: '/api/company-data/connections/{connectionId}',
  spec: 'D1-4.2',
  summary: 'End a connection; the customer is told',
  params: ofConnection,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'company_data.connection_not_found', 'company_connections.active_contract'],
});

export const readSlotFile = endpoint({
  ...ROUTE,
  name: 'read_slot_file',
  method: 'GET',
  path: '/api/company-data/connections/{connectionId}/slots/{serviceFieldId}/file',
  spec: 'D1-2.8',
  summary: 'A binary answer: sealed, as an envelope, or as its bytes',
  params: z.object({ connectionId, serviceFieldId: idOr('company_data.file_not_found') }),
  status: 200,
  result: BinaryAnswer,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'company_data.connection_not_found', 'company_data.file_not_found', 'company_data.file_expired'],
});

export const readLinkedFile = endpoint({
  ...ROUTE,
  name: 'read_linked_file',
  method: 'GET',
  path: '/api/company-data/connections/{connectionId}/flow-links/{flowId}/{slug}/file',
  spec: 'D2-4.2',
  summary: 'The file a person has linked to a field of a flow, as it is now',
  params: z.object({ connectionId, flowId, slug: idOr('company_data.file_not_found') }),
  status: 200,
  result: BinaryAnswer,
  produces: 'bytes',
  refusals: [
    ...AUTHENTICATED,
    'company_data.connection_not_found',
    'flows.not_found',
    'company_data.file_not_found',
    'company_data.file_expired',
  ],
});

const Drained = z.object({
  events: z.array(FeedEvent),
  more: z.boolean(),
  lease: Id.optional(),
  traces: z.array(z.object({ id: Id, traceparent: Traceparent })).optional(),
});

/** What a drain answered is gone at the platform: an event that does not fit may not spoil the others, so each is read where it is stored. */
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

export const requestConnection = endpoint({
  ...ROUTE,
  name: 'request_connection',
  method: 'POST',
  path: '/api/company-data/connect-requests',
  spec: 'D1-4.2',
  summary: 'Invite a person to connect; carries neither values nor keys',
  body: z.strictObject({ share_code: z.string().min(1).max(64, fails('keys.not_found')), message: Line.optional() }),
  status: 201,
  result: z.object({ request_id: Id }),
  refusals: [...WRITES, 'request.invalid', 'keys.not_found', 'company_connections.persons_only', 'company_connections.exists'],
});

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
  params: ofConnection,
  body: z.strictObject({ message_id: idOr('company_data.ack_boundary_invalid') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'company_data.ack_boundary_invalid'],
});
