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
  NewOauthApp,
  OauthApp,
  OauthAppChange,
  SecretOnce,
} from './shapes.ts';

const CLIENTS = { tag: 'account clients', at: ['region'], spec: 'D1-4.6', callers: ['portal'] } as const;
const ofClient = z.object({ id: idOr('account_clients.not_found') });

export const createAccountClient = endpoint({
  ...CLIENTS,
  name: 'create_account_client',
  method: 'POST',
  path: '/api/account/clients',
  summary: 'Register an account automation client; its secret is shown once',
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
  params: ofClient,
  status: 200,
  result: SecretOnce,
  refusals: [...WRITES, 'account_clients.not_found', 'account_clients.purpose_managed'],
});

export const deleteAccountClient = endpoint({
  ...CLIENTS,
  name: 'delete_account_client',
  method: 'DELETE',
  path: '/api/account/clients/{id}',
  summary: 'Delete a client with its tokens and its whitelist',
  params: ofClient,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account_clients.not_found'],
});

const APPS = { tag: 'sign-in apps', at: ['region'], spec: 'D1-4.6', callers: ['account', 'portal'] } as const;

export const createOauthApp = endpoint({
  ...APPS,
  name: 'create_oauth_app',
  method: 'POST',
  path: '/api/account/oauth-apps',
  summary: 'Create a sign-in app; its secret is shown once',
  body: NewOauthApp,
  status: 201,
  result: OauthApp.extend({ client_secret: z.string() }),
  refusals: [...WRITES, 'request.invalid', 'oauth_apps.redirect_uri_invalid', 'oauth_apps.claim_config_plugin_invalid'],
});

export const listOauthApps = endpoint({
  ...APPS,
  name: 'list_oauth_apps',
  method: 'GET',
  path: '/api/account/oauth-apps',
  summary: "The company's sign-in apps",
  query: Paging,
  status: 200,
  result: page(OauthApp),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

export const changeOauthApp = endpoint({
  ...APPS,
  name: 'change_oauth_app',
  method: 'PUT',
  path: '/api/account/oauth-apps/{id}',
  summary: 'Replace the redirect URIs of a sign-in app, which are matched exactly; audit-logged',
  params: z.object({ id: idOr('oauth_apps.not_found') }),
  body: OauthAppChange,
  status: 200,
  result: OauthApp,
  refusals: [
    ...WRITES,
    'request.invalid',
    'oauth_apps.not_found',
    'oauth_apps.redirect_uri_invalid',
    'oauth_apps.claim_config_plugin_invalid',
  ],
});
