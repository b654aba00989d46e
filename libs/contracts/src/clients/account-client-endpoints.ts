import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, page, Paging } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import {
  AccountClient,
  AccountClientOnce,
  AccountClientRights,
  NewAccountClient,
  SecretOnce,
  SecretRotation,
  RotatedSecret,
} from './shapes.ts';

const CLIENTS = { tag: 'account clients', at: ['region'], spec: 'D1-4.6', callers: ['portal'] } as const;
const ofClient = z.object({ id: idOr('account_clients.not_found').describe('The `client_id` of an automation client') });

export const createAccountClient = endpoint({
  ...CLIENTS,
  name: 'create_account_client',
  method: 'POST',
  path: '/api/account/clients',
  summary: 'Register an account automation client; its secret is shown once',
  description:
    'Registers a client that automates the account, within the capability groups you give it. It never reads data of persons. The ' +
    'secret is in this answer alone. `purpose` is a unique name of your choice and stays for ever.',
  body: NewAccountClient,
  status: 201,
  result: AccountClientOnce,
  refusals: [
    ...WRITES,
    'request.invalid',
    'account_clients.name_invalid',
    'account_clients.redirect_uri_invalid',
    'account_clients.purpose_invalid',
    'account_clients.purpose_reserved',
    'account_clients.purpose_taken',
  ],
});

export const listAccountClients = endpoint({
  ...CLIENTS,
  name: 'list_account_clients',
  method: 'GET',
  path: '/api/account/clients',
  summary: "The company's automation clients, never their secrets",
  description: 'The automation clients of the company, in pages, without secrets.',
  query: Paging,
  status: 200,
  result: page(AccountClient),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

export const changeCapabilities = endpoint({
  ...CLIENTS,
  name: 'change_capabilities',
  method: 'PUT',
  path: '/api/account/clients/{id}/capabilities',
  summary: 'Replace the capability groups of a client; the baseline is always kept',
  description:
    'Replaces the capability groups of a client, from its next call on. What every client may do remains. Clients that the ' +
    'platform manages are refused.',
  params: ofClient,
  body: AccountClientRights,
  status: 200,
  result: AccountClient,
  refusals: [
    ...WRITES,
    'request.invalid',
    'account_clients.not_found',
    'account_clients.redirect_uri_invalid',
    'account_clients.purpose_managed',
  ],
});

export const regenerateAccountSecret = endpoint({
  ...CLIENTS,
  name: 'regenerate_account_secret',
  method: 'POST',
  path: '/api/account/clients/{id}/regenerate-secret',
  summary: 'Make a new secret, shown once; all tokens of the client end',
  description:
    'Makes a new secret, shown in this answer alone. The old one and all tokens of the client stop working at once. To deploy a new ' +
    'secret without a pause, rotate it.',
  params: ofClient,
  status: 200,
  result: SecretOnce,
  refusals: [...WRITES, 'account_clients.not_found', 'account_clients.purpose_managed'],
});

/** @gap D1-4.6 */
export const rotateAccountSecret = endpoint({
  ...CLIENTS,
  name: 'rotate_account_secret',
  method: 'POST',
  path: '/api/account/clients/{id}/rotate-secret',
  summary: 'Make a new secret, shown once, beside the old one, which goes on for some hours; tokens stay',
  description:
    'Makes a new secret, shown in this answer alone. The old one works for `keep_old_hours` more (24 unless you say), so that you can ' +
    'deploy the new one meanwhile; end it before with `end-old-secret`. Of two secrets that are good already, the older ends now.',
  params: ofClient,
  body: SecretRotation,
  status: 200,
  result: RotatedSecret,
  refusals: [...WRITES, 'request.invalid', 'account_clients.not_found', 'account_clients.purpose_managed'],
});

/** @gap D1-4.6 */
export const endOldAccountSecret = endpoint({
  ...CLIENTS,
  name: 'end_old_account_secret',
  method: 'POST',
  path: '/api/account/clients/{id}/end-old-secret',
  summary: 'End the old secret now, which was to go on for a while; all tokens of the client end',
  description:
    'Ends the old one of two secrets before its time. All tokens of the client stop working, since nobody knows which of them came of ' +
    'it. With one secret alone nothing changes, so the call may be repeated.',
  params: ofClient,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account_clients.not_found', 'account_clients.purpose_managed'],
});

export const deleteAccountClient = endpoint({
  ...CLIENTS,
  name: 'delete_account_client',
  method: 'DELETE',
  path: '/api/account/clients/{id}',
  summary: 'Delete a client with its tokens and its whitelist',
  description: 'Deletes the client. Its tokens stop working at once.',
  params: ofClient,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account_clients.not_found'],
});
