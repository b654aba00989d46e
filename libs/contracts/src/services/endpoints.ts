import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { RawFile } from '../core/file.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { ofService, serviceId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { emailOr, ServiceCode } from '../core/text.ts';
import { LogEntry, NewRequest, NewService, OwnRequestField, Service, ShareConfig } from './shapes.ts';

const ROUTE = { tag: 'services', at: ['region'], callers: ['account', 'portal'] } as const;

export const createService = endpoint({
  ...ROUTE,
  name: 'create_service',
  method: 'POST',
  path: '/api/services',
  spec: 'D1-2.4',
  summary: 'Create a service with its key pair; the passphrase stays with the caller',
  body: NewService,
  status: 201,
  result: Service,
  refusals: [...WRITES, 'request.invalid', 'services.admin_email_invalid', 'services.key_invalid'],
});

export const listServices = endpoint({
  ...ROUTE,
  name: 'list_services',
  method: 'GET',
  path: '/api/services',
  spec: 'D1-5.8',
  summary: "The company's services",
  query: Paging,
  status: 200,
  result: page(Service),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

export const readService = endpoint({
  ...ROUTE,
  name: 'read_service',
  method: 'GET',
  path: '/api/services/{id}',
  spec: 'D1-5.8',
  summary: 'One service',
  params: ofService,
  status: 200,
  result: Service,
  refusals: [...AUTHENTICATED, 'services.not_found'],
});

export const deleteService = endpoint({
  ...ROUTE,
  name: 'delete_service',
  method: 'DELETE',
  path: '/api/services/{id}',
  spec: 'D1-5.8',
  summary: 'Delete a service with its connections and its run data',
  params: ofService,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'services.not_found', 'company_connections.active_contract'],
});

export const changeShareCode = endpoint({
  ...ROUTE,
  name: 'change_share_code',
  method: 'PUT',
  path: '/api/services/{id}/share-code',
  spec: 'D1-2.4',
  summary: 'Choose the code by which customers find the service',
  params: ofService,
  body: z.strictObject({ share_code: ServiceCode }),
  status: 200,
  result: Service,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'services.share_code_invalid', 'services.share_code_taken'],
});

export const changeAdminEmail = endpoint({
  ...ROUTE,
  name: 'change_admin_email',
  method: 'PUT',
  path: '/api/services/{id}/admin-email',
  spec: 'D1-2.4',
  summary: 'Change who is written to when the service needs attention',
  params: ofService,
  body: z.strictObject({ admin_email: emailOr('services.admin_email_invalid') }),
  status: 200,
  result: Service,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'services.admin_email_invalid'],
});

export const changeNumberMatching = endpoint({
  ...ROUTE,
  name: 'change_number_matching',
  method: 'PUT',
  path: '/api/services/{serviceId}/number-matching',
  spec: 'D1-4.5',
  summary: 'Whether a person must type two digits to approve a login',
  params: z.object({ serviceId }),
  body: z.strictObject({ number_matching: z.boolean() }),
  status: 200,
  result: Service,
  refusals: [...WRITES, 'request.invalid', 'services.not_found'],
});

export const readShareConfig = endpoint({
  ...ROUTE,
  name: 'read_share_config',
  method: 'GET',
  path: '/api/services/{id}/share-config',
  spec: 'D1-5.8',
  summary: 'What the service shows of the company, and to whom',
  params: ofService,
  status: 200,
  result: ShareConfig,
  refusals: [...AUTHENTICATED, 'services.not_found'],
});

export const changeShareConfig = endpoint({
  ...ROUTE,
  name: 'change_share_config',
  method: 'PUT',
  path: '/api/services/{id}/share-config',
  spec: 'D1-5.8',
  summary: 'Change what the service shows of the company, and to whom',
  params: ofService,
  body: ShareConfig,
  status: 200,
  result: ShareConfig,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'contact_fields.not_found', 'photos.not_found'],
});

/** As its creator left it; the server could not make one. @spec D1-2.3 @gap D1-2.3 */
export const downloadPrivateKey = endpoint({
  ...ROUTE,
  name: 'download_private_key',
  method: 'GET',
  path: '/api/services/{id}/private-key',
  spec: 'D1-2.3',
  summary: "The service's private key as an encrypted PEM, if its creator stored one",
  params: ofService,
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'services.not_found', 'company_data.file_not_found'],
});

/** The rows, and the token that a change must bring back. @gap D1-4.7 */
const OwnRequest = z.object({ config_token: z.string(), fields: z.array(OwnRequestField) });

export const readOwnRequestFields = endpoint({
  ...ROUTE,
  name: 'read_own_request_fields',
  method: 'GET',
  path: '/api/services/{id}/request-fields',
  spec: 'D1-4.7',
  summary: 'What the service asks of its customers, with audiences',
  params: ofService,
  status: 200,
  result: OwnRequest,
  refusals: [...AUTHENTICATED, 'services.not_found'],
});

export const publishRequestFields = endpoint({
  ...ROUTE,
  name: 'publish_request_fields',
  method: 'PUT',
  path: '/api/services/{id}/request-fields',
  spec: 'D1-4.7',
  summary: 'Publish what the service asks of its customers',
  params: ofService,
  body: NewRequest,
  status: 200,
  result: OwnRequest,
  refusals: [
    ...WRITES,
    'request.invalid',
    'services.not_found',
    'services.config_conflict',
    'services.request_field_invalid',
    'services.request_field_plugin_invalid',
  ],
});

export const readServiceLogs = endpoint({
  ...ROUTE,
  name: 'read_service_logs',
  method: 'GET',
  path: '/api/services/{id}/logs',
  spec: 'D1-4.7',
  summary: 'What happened to the service, newest first',
  params: ofService,
  query: Paging,
  status: 200,
  result: page(LogEntry),
  refusals: [...AUTHENTICATED, 'request.invalid', 'services.not_found'],
});
