import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { BinaryAnswer } from '../core/file.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { connectionId, flowId, ofConnection } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { Id, idOr, Line } from '../core/text.ts';
import { Connection, ConnectionDetail } from './shapes.ts';

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
  summary: 'End a connection; the customer is notified',
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
