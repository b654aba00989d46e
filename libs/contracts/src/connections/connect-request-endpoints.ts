import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { whole } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { AcceptedRequest, ConnectRequest, CustomerConnection } from './customer-shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

const ofRequest = z.object({
  requestId: idOr('company_connections.request_not_found').describe('The id of a connect request, from the list of them'),
});

export const listConnectRequests = endpoint('list_connect_requests', 'GET /api/app/connect-requests', {
  ...ROUTE,
  spec: 'D1-4.2',
  summary: 'The services that ask the person to connect',
  description: 'The services that have invited this person, with their messages.',
  result: whole(ConnectRequest),
});

export const acceptConnectRequest = endpoint('accept_connect_request', 'POST /api/app/connect-requests/{requestId}/accept', {
  ...ROUTE,
  spec: 'D1-6.1',
  summary: 'Connect to the service that asked, as if by its code',
  description:
    'Connects to the service that asked. The values are given as in `connect`. The service gets `connection_request_accepted` and ' +
    '`connection_created`.',
  act: 'requestId',
  params: ofRequest,
  body: AcceptedRequest,
  largest: 2 * UPLOAD_BODY_BYTES,
  status: 201,
  result: CustomerConnection,
  refusals: [
    'request.invalid',
    'company_connections.request_not_found',
    'company_connections.values_invalid',
    'contact_data.encryption_required',
    'documents.too_large',
    'services.audience_b2b_only',
  ],
});

export const rejectConnectRequest = endpoint('reject_connect_request', 'POST /api/app/connect-requests/{requestId}/reject', {
  ...ROUTE,
  spec: 'D1-6.1',
  summary: 'Turn a connect request down',
  description: 'Turns the invitation down. The service gets `connection_request_rejected`; it may ask again after 30 days.',
  act: 'requestId',
  params: ofRequest,
  refusals: ['company_connections.request_not_found'],
});
