import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { page, Paging } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { ClientKeys, RegisteredKeys } from './client-keys.ts';
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
const OF_CLIENT = { ...CLIENTS, params: ofClient } as const;

export const createAccountClient = endpoint('create_account_client', 'POST /api/account/clients', {
  ...CLIENTS,
  summary: 'Register an account automation client; its secret is shown once',
  description:
    'Registers a client that automates the account, within the capability groups you give it. It never reads data of persons. The ' +
    'secret is in this answer alone. `purpose` is a unique name of your choice and stays for ever.',
  body: NewAccountClient,
  status: 201,
  result: AccountClientOnce,
  refusals: [
    'request.invalid',
    'account_clients.name_invalid',
    'account_clients.redirect_uri_invalid',
    'account_clients.purpose_invalid',
    'account_clients.purpose_reserved',
    'account_clients.purpose_taken',
  ],
});

export const listAccountClients = endpoint('list_account_clients', 'GET /api/account/clients', {
  ...CLIENTS,
  summary: "The company's automation clients, never their secrets",
  description: 'The automation clients of the company, in pages, without secrets.',
  query: Paging,
  result: page(AccountClient),
  refusals: ['request.invalid'],
});

export const changeCapabilities = endpoint('change_capabilities', 'PUT /api/account/clients/{id}/capabilities', {
  ...OF_CLIENT,
  summary: 'Replace the capability groups of a client, and whether its tokens are bound to a key; the baseline is always kept',
  description:
    'Replaces the capability groups of a client, from its next call on. What every client may do remains. Clients that the ' +
    'platform manages are refused. With `dpop_bound_access_tokens` the client gets only tokens that are bound to a key (DPoP, RFC 9449), ' +
    'and its bearer tokens stop working at once.',
  body: AccountClientRights,
  result: AccountClient,
  refusals: ['request.invalid', 'account_clients.not_found', 'account_clients.redirect_uri_invalid', 'account_clients.purpose_managed'],
});

export const regenerateAccountSecret = endpoint('regenerate_account_secret', 'POST /api/account/clients/{id}/regenerate-secret', {
  ...OF_CLIENT,
  summary: 'Make a new secret, shown once; all tokens of the client end',
  description:
    'Makes a new secret, shown in this answer alone. The old one and all tokens of the client stop working at once. To deploy a new ' +
    'secret without a pause, rotate it.',
  result: SecretOnce,
  refusals: ['account_clients.not_found', 'account_clients.purpose_managed'],
});

/** @gap D1-4.6 */
export const rotateAccountSecret = endpoint('rotate_account_secret', 'POST /api/account/clients/{id}/rotate-secret', {
  ...OF_CLIENT,
  summary: 'Make a new secret, shown once, beside the old one, which goes on for some hours; tokens stay',
  description:
    'Makes a new secret, shown in this answer alone. The old one works for `keep_old_hours` more (24 unless you say), so that you can ' +
    'deploy the new one meanwhile; end it before with `end-old-secret`. Of two secrets that are good already, the older ends now.',
  body: SecretRotation,
  result: RotatedSecret,
  refusals: ['request.invalid', 'account_clients.not_found', 'account_clients.purpose_managed'],
});

/** @gap D1-4.6 */
export const endOldAccountSecret = endpoint('end_old_account_secret', 'POST /api/account/clients/{id}/end-old-secret', {
  ...OF_CLIENT,
  summary: 'End the old secret now, which was to go on for a while; all tokens of the client end',
  description:
    'Ends the old one of two secrets before its time. All tokens of the client stop working, since nobody knows which of them came of ' +
    'it. With one secret alone nothing changes, so the call may be repeated.',
  refusals: ['account_clients.not_found', 'account_clients.purpose_managed'],
});

export const deleteAccountClient = endpoint('delete_account_client', 'DELETE /api/account/clients/{id}', {
  ...OF_CLIENT,
  summary: 'Delete a client with its tokens and its whitelist',
  description: 'Deletes the client. Its tokens stop working at once.',
  refusals: ['account_clients.not_found'],
});

/** @gap D1-5.2 */
export const readAccountClientKeys = endpoint('read_account_client_keys', 'GET /api/account/clients/{id}/keys', {
  ...OF_CLIENT,
  summary: 'The public keys with which a client signs in',
  description: 'The public keys of the client, and whether it needs one of them: its secret is refused then.',
  result: RegisteredKeys,
  refusals: ['account_clients.not_found'],
});

/** @gap D1-5.2 */
export const setAccountClientKeys = endpoint('set_account_client_keys', 'PUT /api/account/clients/{id}/keys', {
  ...OF_CLIENT,
  summary: 'Replace the public keys with which a client signs in beside its secret, or in its place',
  description:
    'Replaces the public keys with which the client signs in by `private_key_jwt` (RFC 7523), at most four of them: EC P-256, Ed25519 or ' +
    'RSA from 2048 bits, without private parts. With `required` its secret is refused from now on. When a key is removed, or required ' +
    'becomes true, all tokens of the client end. To replace a key without a pause, first add the new one.',
  body: ClientKeys,
  result: RegisteredKeys,
  refusals: ['request.invalid', 'account_clients.not_found', 'account_clients.purpose_managed'],
});
