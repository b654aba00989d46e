import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { BinaryAnswer } from '../core/file.ts';
import { page, Paging } from '../core/page.ts';
import { connectionId, flowId, ofConnection } from '../core/params.ts';
import { Id, idOr, Line } from '../core/text.ts';
import { Connection, ConnectionDetail } from './shapes.ts';

const ROUTE = { tag: 'service data', at: ['region'], callers: ['service'] } as const;

export const listConnections = endpoint('list_connections', 'GET /api/company-data/connections', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'All connections with the values they provide, for a first full sync',
  description:
    'Every connection of the service with the values it provides, as ciphertext, in pages. It is meant for one full ' +
    'synchronisation at the beginning, and its limit is tight; follow the change feed from then on. Start the feed before the ' +
    'list, so that nothing falls between.',
  query: Paging,
  result: page(Connection),
  refusals: ['request.invalid'],
  limit: 'connections',
});

export const readConnection = endpoint('read_connection', 'GET /api/company-data/connections/{connectionId}', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'One connection with the fields it provides',
  description:
    'One connection with each field it provides. Text values are wrappers to open with the service key; a file is a `value_url` to ' +
    'fetch. A connection that has ended is not found.',
  params: ofConnection,
  result: ConnectionDetail,
  refusals: ['company_data.connection_not_found'],
});

export const endConnection = endpoint('end_connection', 'DELETE /api/company-data/connections/{connectionId}', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'End a connection; the customer is notified',
  description:
    "Ends the connection from the service's side: its values are gone, the customer gets an event, and `connection_deleted` is put on " +
    'the feed. While an agreement or subscription of the customer is active it is refused: end that document first.',
  params: ofConnection,
  refusals: ['company_data.connection_not_found', 'company_connections.active_contract'],
});

export const readSlotFile = endpoint('read_slot_file', 'GET /api/company-data/connections/{connectionId}/slots/{serviceFieldId}/file', {
  ...ROUTE,
  spec: 'D1-2.8',
  summary: 'A binary answer: sealed, as an envelope, or as its bytes',
  description:
    'The file that a customer provides for one request row. Look at Content-Type first, then at `encrypted`: JSON with `encrypted: ' +
    'true` holds a wrapper to open with the service key, and its plaintext is the file envelope `{file, original_name, mime_type, ' +
    'size}`; JSON with `encrypted: false` holds that envelope in the clear, also of a file that is JSON or XML itself; any other ' +
    'content type is the file itself. Compare the SHA-256 of the body with the header. A file that was shared once and is over answers ' +
    '410 with the digest it had: ask the customer to share it again.',
  params: z.object({
    connectionId,
    serviceFieldId: idOr('company_data.file_not_found').describe('The `service_field_id` of the row, from the detail of the connection'),
  }),
  result: BinaryAnswer,
  produces: 'bytes',
  refusals: ['company_data.connection_not_found', 'company_data.file_not_found', 'company_data.file_expired'],
});

export const readLinkedFile = endpoint(
  'read_linked_file',
  'GET /api/company-data/connections/{connectionId}/flow-links/{flowId}/{slug}/file',
  {
    ...ROUTE,
    spec: 'D2-4.2',
    summary: 'The file a person has linked to a field of a flow, as it is now',
    description:
      'The file that a customer has linked from the profile to a field of a flow, as it is at this moment; the copy that a run holds ' +
      'is another one and does not change. Of a private file, which is sealed to its owner alone, it is the copy that was sealed to you ' +
      'when it was linked last. Three forms are possible, as for the file of a slot. What its owner has deleted is not found any more.',
    params: z.object({ connectionId, flowId, slug: idOr('company_data.file_not_found').describe('The slug of the field in the flow') }),
    result: BinaryAnswer,
    produces: 'bytes',
    refusals: ['company_data.connection_not_found', 'flows.not_found', 'company_data.file_not_found'],
  },
);

export const requestConnection = endpoint('request_connection', 'POST /api/company-data/connect-requests', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'Invite a person to connect; carries neither values nor keys',
  description:
    'Sends a person an invitation, which the app shows with the message. Nothing is shared by it. The answer of the person comes ' +
    'on the feed as `connection_request_accepted` or `connection_request_rejected`. Companies and your own account cannot be ' +
    'invited. While a request waits, asking again answers the same one. It is forgotten after 30 days without an answer; who rejected ' +
    'it can be asked again after 30 days.',
  body: z.strictObject({ share_code: z.string().regex(/^[A-Z0-9]{1,16}$/, fails('keys.not_found')), message: Line.optional() }),
  status: 201,
  result: z.object({ request_id: Id }),
  refusals: [
    'request.invalid',
    'keys.not_found',
    'company_connections.persons_only',
    'company_connections.exists',
    'company_connections.request_rejected',
    'company_connections.too_many_requests',
    'services.audience_b2b_only',
  ],
  limit: 'connect_requests',
});
