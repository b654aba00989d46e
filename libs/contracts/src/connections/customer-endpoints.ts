import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { page, Paging } from '../core/page.ts';
import { ofConnection } from '../core/params.ts';
import { PluginPass } from '../plugins/shapes.ts';
import { ConnectionChange, CustomerConnection, NewConnection, ServiceCard } from './customer-shapes.ts';

/** Routes of a customer, which is a person or a company acting as one, about the services it shares data with. @spec D1-5.8 @gap D1-4.7 */
const ROUTE = { tag: 'customer', at: ['region'], callers: ['person', 'account', 'portal'] } as const;
const OF_CONNECTION = { ...ROUTE, params: ofConnection } as const;
const unknown = fails('company_connections.service_not_found');
const ofCodes = z.object({
  companyCode: z
    .string()
    .regex(/^[A-Z0-9]{1,16}$/, unknown)
    .describe('The share code of the company, in capitals'),
  serviceCode: z
    .string()
    .regex(/^[A-Z0-9]{1,8}$/, unknown)
    .describe('The code of its service, in capitals'),
});

/** What a service asks for, and the key to seal the answers to. Without this nobody could connect. @gap D1-5.8 */
export const readServiceCard = endpoint('read_service_card', 'GET /api/customer/services/{companyCode}/{serviceCode}', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'A service before one connects to it: what it asks, and the key to seal the answers to',
  description:
    'A service as a customer sees it before connecting: what it asks for, what it shows of the company, and the public key to seal ' +
    'the answers to. Codes are written in capitals.',
  params: ofCodes,
  result: ServiceCard,
  refusals: ['company_connections.service_not_found'],
});

/** A customer sees whom it is about to share with. @gap D1-5.8 */
export const readShownPhoto = endpoint('read_shown_photo', 'GET /api/customer/services/{companyCode}/{serviceCode}/photo', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'The photo that a service shows, before one connects to it',
  description:
    'The bytes of the photo whose id is `photo_id` on the service card, with their content type. Where a service shows no photo, none is ' +
    'found.',
  params: ofCodes,
  result: RawFile,
  produces: 'bytes',
  refusals: ['company_connections.service_not_found', 'photos.not_found'],
});

/** Request rows of the type plugin are answered through plugins, so a customer who fills them needs a pass. @gap D1-2.6 */
export const issueRequestPluginPass = endpoint(
  'issue_request_plugin_pass',
  'POST /api/customer/services/{companyCode}/{serviceCode}/plugin-pass',
  {
    ...ROUTE,
    spec: 'D1-5.8',
    summary: 'A pass for the plugins that answer what a service asks',
    description:
      'A short-lived pass for the plugins of the request rows, by the slugs of these, with the key to seal questions to. Send it in the ' +
      'body of a call to the forwarder. Where no row has a plugin the list is empty.',
    params: ofCodes,
    result: PluginPass,
    refusals: ['company_connections.service_not_found'],
  },
);

export const connect = endpoint('connect', 'POST /api/company-connections', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'Connect to a service and answer what it asks, each value sealed to the service key',
  description:
    'Connects the caller to a service by `COMPANYCODE/SERVICECODE`, with one value for each request row, sealed to the key on the ' +
    'service card. Mandatory rows must be answered, and no other rows than those of the card. The service gets ' +
    '`connection_created`. A value that is to stay live is sealed again by the client whenever its source changes.',
  act: 'code',
  body: NewConnection,
  largest: 2 * UPLOAD_BODY_BYTES,
  status: 201,
  result: CustomerConnection,
  refusals: [
    'request.invalid',
    'profile.company_code_requires_service',
    'company_connections.service_not_found',
    'company_connections.exists',
    'company_connections.persons_only',
    'company_connections.values_invalid',
    'services.audience_b2b_only',
    'contact_data.encryption_required',
    'documents.too_large',
  ],
});

export const listCustomerConnections = endpoint('list_customer_connections', 'GET /api/company-connections', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: 'The services the caller is connected to',
  description: 'The services the caller is connected to, in pages.',
  query: Paging,
  result: page(CustomerConnection),
  refusals: ['request.invalid'],
});

export const readCustomerConnection = endpoint('read_customer_connection', 'GET /api/company-connections/{connectionId}', {
  ...OF_CONNECTION,
  spec: 'D1-5.8',
  summary: 'One connection: what is shared, and what was asked since',
  description: "One connection from the customer's side: what is shared, and which rows the service has added since.",
  result: CustomerConnection,
  refusals: ['company_data.connection_not_found'],
});

/** A connection does not say the code of its service, so its photo is read by the connection. @gap D1-5.8 */
export const readConnectionPhoto = endpoint('read_connection_photo', 'GET /api/company-connections/{connectionId}/photo', {
  ...OF_CONNECTION,
  spec: 'D1-5.8',
  summary: 'The photo that the service of a connection shows',
  description:
    'The bytes of the photo whose id is `service.photo_id` of the connection, with their content type. Where a service shows no photo, ' +
    'none is found.',
  result: RawFile,
  produces: 'bytes',
  refusals: ['company_data.connection_not_found', 'photos.not_found'],
});

export const changeCustomerConnection = endpoint('change_customer_connection', 'PUT /api/company-connections/{connectionId}', {
  ...OF_CONNECTION,
  spec: 'D1-6.1',
  summary: 'Share, stop sharing or decline fields of a connection',
  description: 'Shares further rows, replaces or stops values, or declines a row. Each change reaches the service as an event.',
  act: 'connectionId',
  body: ConnectionChange,
  largest: 2 * UPLOAD_BODY_BYTES,
  result: CustomerConnection,
  refusals: [
    'request.invalid',
    'company_data.connection_not_found',
    'company_connections.values_invalid',
    'contact_data.encryption_required',
    'documents.too_large',
  ],
});

export const disconnect = endpoint('disconnect', 'DELETE /api/company-connections/{connectionId}', {
  ...OF_CONNECTION,
  spec: 'D1-6.1',
  summary: "End a connection from the customer's side",
  description:
    "Ends the connection from the customer's side; the service loses its values and gets `connection_deleted`. While a contract " +
    'with it is active it is refused: cancel that first.',
  act: 'connectionId',
  refusals: ['company_data.connection_not_found', 'company_connections.active_contract'],
});
