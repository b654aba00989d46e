import type { Examples } from '../core/example.ts';
import { AT, LATER, page, PUBLIC_KEY, SEALED } from '../core/samples.ts';
import { PLUGIN_PASS } from '../plugins/examples.ts';

const ACCOUNT_CLIENT = {
  client_id: 'acct_9d2f',
  name: 'Deployment',
  purpose: 'ci',
  capabilities: ['service_management'],
  redirect_uri: null,
};
const NEW_SERVICE_CLIENT = { client_id: 'svc_acme_shop', grant_types: ['client_credentials'], redirect_uri: null, created_at: AT };
const SERVICE_CLIENT = { ...NEW_SERVICE_CLIENT, dpop_bound_access_tokens: false };
const CLIENT_KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: '2026-11' };
const OAUTH_APP = {
  id: 'app_51',
  client_id: 'app_51',
  name: 'Acme login',
  redirect_uris: ['https://acme.example/back'],
  claims_delivery: 'encrypted',
  claims: [{ slug: 'email', label: 'E-mail', type: 'email', required: true, plugin: null }],
  created_at: AT,
};

/** Examples, by the names of the endpoints. */
export const clientsExamples: Examples = {
  create_account_client: {
    body: { name: 'Deployment', capabilities: ['service_management'], purpose: 'ci' },
    result: { ...ACCOUNT_CLIENT, client_secret: 'shown once' },
  },
  list_account_clients: { query: { limit: 50 }, result: page({ ...ACCOUNT_CLIENT, dpop_bound_access_tokens: false, created_at: AT }) },
  change_capabilities: {
    body: { capabilities: ['service_management', 'oauth_apps'] },
    result: { ...ACCOUNT_CLIENT, capabilities: ['service_management', 'oauth_apps'], dpop_bound_access_tokens: false, created_at: AT },
  },
  rotate_account_secret: {
    body: { keep_old_hours: 24 },
    result: { client_id: 'acct_9d2f', client_secret: 'shown once', old_secret_until: '2026-11-16T09:30:00.000Z' },
  },
  regenerate_account_secret: { result: { client_id: 'acct_9d2f', client_secret: 'shown once' } },
  create_oauth_app: {
    body: { name: 'Acme login', redirect_uris: ['https://acme.example/back'], claims: [{ slug: 'email', label: 'E-mail', type: 'email' }] },
    result: { ...OAUTH_APP, client_secret: 'shown once' },
  },
  read_oauth_app: { result: OAUTH_APP },
  list_oauth_apps: { query: { limit: 50 }, result: page(OAUTH_APP) },
  change_oauth_app: {
    body: { redirect_uris: ['https://acme.example/back', 'com.acme.app:/back'] },
    result: { ...OAUTH_APP, redirect_uris: ['https://acme.example/back', 'com.acme.app:/back'] },
  },
  regenerate_oauth_app_secret: { result: { client_id: 'app_51', client_secret: 'shown once' } },
  rotate_oauth_app_secret: {
    body: { keep_old_hours: 24 },
    result: { client_id: 'app_51', client_secret: 'shown once', old_secret_until: '2026-11-16T09:30:00.000Z' },
  },
  list_sign_ins: {
    result: page({
      id: 'ses_51',
      app_name: 'Acme login',
      company_code: 'ACME',
      digits: '42',
      claims: [{ slug: 'email', label: 'E-mail', type: 'email', required: true, plugin: null }],
      claims_delivery: 'encrypted',
      public_key: PUBLIC_KEY,
      created_at: AT,
      expires_at: LATER,
    }),
  },
  issue_sign_in_plugin_pass: { result: PLUGIN_PASS },
  approve_sign_in: { body: { values: { email: SEALED } } },
  create_service_client: { body: {}, result: { ...NEW_SERVICE_CLIENT, client_secret: 'shown once' } },
  read_service_client: { result: SERVICE_CLIENT },
  change_service_client: {
    body: { redirect_uri: 'https://acme.example/back' },
    result: { ...SERVICE_CLIENT, redirect_uri: 'https://acme.example/back' },
  },
  rotate_service_secret: {
    body: { keep_old_hours: 24 },
    result: { client_id: 'svc_acme_shop', client_secret: 'shown once', old_secret_until: '2026-11-16T09:30:00.000Z' },
  },
  read_service_client_keys: { result: { client_id: 'svc_acme_shop', keys: [CLIENT_KEY], required: false } },
  set_service_client_keys: {
    body: { keys: [CLIENT_KEY], required: true },
    result: { client_id: 'svc_acme_shop', keys: [CLIENT_KEY], required: true },
  },
  read_account_client_keys: { result: { client_id: 'acct_crm', keys: [CLIENT_KEY], required: false } },
  set_account_client_keys: { body: { keys: [CLIENT_KEY] }, result: { client_id: 'acct_crm', keys: [CLIENT_KEY], required: false } },
  regenerate_service_secret: { result: { client_id: 'svc_acme_shop', client_secret: 'shown once' } },
};
