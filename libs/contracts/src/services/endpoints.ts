import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { RawFile } from '../core/file.ts';
import { page, Paging } from '../core/page.ts';
import { ofService, serviceId } from '../core/params.ts';
import { emailOr, ServiceCode } from '../core/text.ts';
import { AdminEmailCode, LogEntry, NewRequest, NewService, OwnRequestField, Service, ShareConfig } from './shapes.ts';

const ROUTE = { tag: 'services', at: ['region'], callers: ['account', 'portal'] } as const;
const OF_SERVICE = { ...ROUTE, params: ofService } as const;

export const createService = endpoint('create_service', 'POST /api/services', {
  ...ROUTE,
  spec: 'D1-2.4',
  summary: 'Create a service with its key pair; the passphrase stays with the caller',
  description:
    'Creates a service together with the key pair that customers seal to. Make an RSA-2048 pair, wrap the private key under a ' +
    'random passphrase by the recipe (PBKDF2-SHA256 with 100000 iterations, AES-256-GCM), and keep the passphrase: the platform ' +
    'never has it, and without it the values of this service are lost. Beside it you may store the key as an encrypted PEM, to be ' +
    'downloaded later.',
  body: NewService,
  status: 201,
  result: Service,
  refusals: ['request.invalid', 'services.admin_email_invalid', 'services.key_invalid', 'services.too_many'],
});

export const listServices = endpoint('list_services', 'GET /api/services', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: "The company's services",
  description: 'The services of the company, in pages.',
  query: Paging,
  result: page(Service),
  refusals: ['request.invalid'],
});

export const readService = endpoint('read_service', 'GET /api/services/{id}', {
  ...OF_SERVICE,
  spec: 'D1-5.8',
  summary: 'One service',
  description: 'One service with its codes, its public key and its settings.',
  result: Service,
  refusals: ['services.not_found'],
});

export const deleteService = endpoint('delete_service', 'DELETE /api/services/{id}', {
  ...OF_SERVICE,
  spec: 'D1-5.8',
  summary: 'Delete a service with its connections and its run data',
  description:
    'Deletes the service, its connections, its client, its webhooks and the data of its runs. It cannot be undone. While a ' +
    'customer has an active contract it is refused: end that first.',
  refusals: ['services.not_found', 'company_connections.active_contract'],
});

export const changeShareCode = endpoint('change_share_code', 'PUT /api/services/{id}/share-code', {
  ...OF_SERVICE,
  spec: 'D1-2.4',
  summary: 'Choose the code by which customers find the service',
  description:
    "Sets the code that customers type after the company's own: `COMPANYCODE/SERVICECODE`. Codes on paper stop working when it " +
    'changes. It is unique among your services.',
  body: z.strictObject({ share_code: ServiceCode }),
  result: Service,
  refusals: ['request.invalid', 'services.not_found', 'services.share_code_invalid', 'services.share_code_taken'],
});

export const changeAdminEmail = endpoint('change_admin_email', 'PUT /api/services/{id}/admin-email', {
  ...OF_SERVICE,
  spec: 'D1-2.4',
  summary: 'Change who is written to when the service needs attention',
  description:
    'Sets the address that alerts about this service are mailed to, such as a webhook backlog that grows old. Unless the company has ' +
    'confirmed the address before, a code is mailed to it; until it is confirmed, alerts come as one digest a day. Set it again for a ' +
    'new code: at most three a day go from a company to an address.',
  body: z.strictObject({ admin_email: emailOr('services.admin_email_invalid') }),
  result: Service,
  refusals: ['request.invalid', 'services.not_found', 'services.admin_email_invalid'],
});

/** @gap D1-2.4 */
export const confirmAdminEmail = endpoint('confirm_admin_email', 'POST /api/services/{id}/admin-email/confirm', {
  ...OF_SERVICE,
  spec: 'D1-2.4',
  summary: 'Confirm the admin e-mail with the code that was mailed to it',
  description:
    'Confirms the address for every service of the company that has it; from then on each alert is mailed at once. A code holds for 72 ' +
    'hours and five attempts. An address that is confirmed stays so, whatever the code.',
  body: z.strictObject({ code: AdminEmailCode }),
  result: Service,
  refusals: ['request.invalid', 'services.not_found', 'services.admin_email_code_invalid'],
});

export const changeNumberMatching = endpoint('change_number_matching', 'PUT /api/services/{serviceId}/number-matching', {
  ...ROUTE,
  spec: 'D1-4.5',
  summary: 'Whether a person must type two digits to approve a login',
  description:
    'Switches number matching on or off. While it is on, every challenge has two digits that the person must type to approve it.',
  params: z.object({ serviceId }),
  body: z.strictObject({ number_matching: z.boolean() }),
  result: Service,
  refusals: ['request.invalid', 'services.not_found'],
});

export const readShareConfig = endpoint('read_share_config', 'GET /api/services/{id}/share-config', {
  ...OF_SERVICE,
  spec: 'D1-5.8',
  summary: 'What the service shows of the company, and to whom',
  description: 'Which fields and photos of the company the service shows to its customers, and whether it is for companies alone.',
  result: ShareConfig,
  refusals: ['services.not_found'],
});

export const changeShareConfig = endpoint('change_share_config', 'PUT /api/services/{id}/share-config', {
  ...OF_SERVICE,
  spec: 'D1-5.8',
  summary: 'Change what the service shows of the company, and to whom',
  description: 'Replaces what the service shows of the company. A field or photo that is not yours refuses the whole change.',
  body: ShareConfig,
  result: ShareConfig,
  refusals: ['request.invalid', 'services.not_found', 'contact_fields.not_found', 'photos.not_found'],
});

/** The PEM as its creator stored it. The server could not make one. @spec D1-2.3 @gap D1-2.3 */
export const downloadPrivateKey = endpoint('download_private_key', 'GET /api/services/{id}/private-key', {
  ...OF_SERVICE,
  spec: 'D1-2.3',
  summary: "The service's private key as an encrypted PEM, if its creator stored one",
  description:
    'The encrypted PEM that was stored when the service was created, as it came. It opens with the passphrase of its creator. The ' +
    'platform cannot make one: not found means that none was stored.',
  result: RawFile,
  produces: 'bytes',
  refusals: ['services.not_found', 'company_data.file_not_found'],
});

/** The rows, and the token that a change must bring back. @gap D1-4.7 */
const OwnRequest = z.object({ config_token: z.string(), fields: z.array(OwnRequestField) });

export const readOwnRequestFields = endpoint('read_own_request_fields', 'GET /api/services/{id}/request-fields', {
  ...OF_SERVICE,
  spec: 'D1-4.7',
  summary: 'What the service asks of its customers, with audiences',
  description:
    'The rows that customers of the service are asked for, with their audiences, and the `config_token` that a change must bring ' +
    'back.',
  result: OwnRequest,
  refusals: ['services.not_found'],
});

export const publishRequestFields = endpoint('publish_request_fields', 'PUT /api/services/{id}/request-fields', {
  ...OF_SERVICE,
  spec: 'D1-4.7',
  summary: 'Publish what the service asks of its customers',
  description:
    'Replaces the rows that customers are asked for. Bring the `config_token` you read; when somebody changed them meanwhile, read ' +
    'again, merge and repeat. Connected customers keep what they share and are asked for what is new.',
  body: NewRequest,
  result: OwnRequest,
  refusals: [
    'request.invalid',
    'services.not_found',
    'services.config_conflict',
    'services.request_field_invalid',
    'services.request_field_plugin_invalid',
  ],
});

export const readServiceLogs = endpoint('read_service_logs', 'GET /api/services/{id}/logs', {
  ...OF_SERVICE,
  spec: 'D1-4.7',
  summary: 'What happened to the service, newest first',
  description: 'The log of one service: settings that changed, webhooks that stopped or came back, alerts. Newest first.',
  query: Paging,
  result: page(LogEntry),
  refusals: ['request.invalid', 'services.not_found'],
});
