import type { Examples } from './example.ts';
import {
  AT,
  CONTACT_FIELD,
  ENCRYPTED_PRIVATE_KEY,
  IMAGE,
  KEYS,
  LATER,
  LOG_ENTRY,
  page,
  PHOTO,
  PLUGIN,
  PUBLIC_KEY,
  REGISTRY_PASS,
  REQUEST_FIELD,
  SEALED,
  SERVICE,
  WEBHOOK,
} from './samples.ts';

const ACCOUNT = {
  user_id: 'user_acme',
  type: 'company',
  email: 'office@acme.example',
  level: 'pro',
  region: 'eu',
  api_url: 'https://eu.cds.example',
  created_at: AT,
};
const PROFILE = {
  user_id: 'user_acme',
  display_name: 'Acme Inc.',
  language: 'en',
  share_code: 'ACME',
  public_key: PUBLIC_KEY,
  moving_to: null,
};
const ACCOUNT_CLIENT = {
  client_id: 'acct_9d2f',
  name: 'Deployment',
  purpose: 'ci',
  capabilities: ['service_management'],
  redirect_uri: null,
};
const SERVICE_CLIENT = { client_id: 'svc_acme_shop', grant_types: ['client_credentials'], redirect_uri: null, created_at: AT };
const OAUTH_APP = {
  id: 'app_51',
  client_id: 'app_acme_login',
  name: 'Acme login',
  redirect_uris: ['https://acme.example/back'],
  claims_delivery: 'encrypted',
  claims: [{ slug: 'email', label: 'E-mail', type: 'email', plugin: null }],
  created_at: AT,
};
const DELEGATE = {
  id: 'dele_77',
  user_id: 'user_b0b',
  display_name: 'Bob',
  public_key: PUBLIC_KEY,
  services: [{ service_id: 'shop_4d1e', has_key: true }],
  created_at: AT,
};
const OWN_REQUEST = { config_token: 'cfg_13', fields: [{ ...REQUEST_FIELD, service_field_id: 'slot_19c4', audience: 'both' }] };
const RECOVERY_COPY = { id: 'copy_2c', kind: 'client_secret', subject_id: 'svc_acme_shop', created_at: AT };
const CONTACT_VALUE = { slug: CONTACT_FIELD.slug, value: SEALED, is_private: true, updated_at: AT };
const DEVICE = { id: 'dev_9b', name: 'Office browser', created_at: AT, last_seen_at: LATER };
const PASSWORD = 'correct horse battery';

/** What a company does with its account, by login or by automation. */
export const companyExamples: Examples = {
  sign_up: {
    body: {
      type: 'company',
      email: 'office@acme.example',
      password: PASSWORD,
      display_name: 'Acme Inc.',
      language: 'en',
      region: 'eu',
      ...KEYS,
    },
    result: ACCOUNT,
  },
  read_account: { result: ACCOUNT },
  read_profile: { result: PROFILE },
  change_profile: { body: { display_name: 'Acme Incorporated' }, result: { ...PROFILE, display_name: 'Acme Incorporated' } },
  read_account_keys: { result: KEYS },
  rewrap_account_key: { body: { password: PASSWORD, encrypted_private_key: ENCRYPTED_PRIVATE_KEY }, result: KEYS },
  download_account_key: { result: KEYS },
  migrate_region: { body: { password: PASSWORD, region: 'us' }, result: { from: 'eu', to: 'us' } },

  change_password: { body: { password: PASSWORD, new_password: 'another correct horse', encrypted_private_key: ENCRYPTED_PRIVATE_KEY } },
  change_email: { body: { password: PASSWORD, email: 'hello@acme.example' } },
  read_second_factor: { result: { enabled: false } },
  begin_second_factor: { body: { password: PASSWORD }, result: { otpauth_url: 'otpauth://totp/Acme?secret=JBSWY3DPEHPK3PXP' } },
  confirm_second_factor: { body: { code: '492039' } },
  end_second_factor: { body: { password: PASSWORD, code: '492039' } },
  request_deletion: { body: { password: PASSWORD }, result: { confirm_by: LATER } },
  confirm_deletion: { body: { code: '492039' } },
  list_trusted_devices: { result: page(DEVICE) },

  set_recovery_key: { body: KEYS },
  read_recovery_key: { result: { public_key: PUBLIC_KEY } },
  store_recovery_copy: { body: { kind: 'client_secret', subject_id: 'svc_acme_shop', value: SEALED }, result: RECOVERY_COPY },
  list_recovery_copies: { query: { limit: 50 }, result: page(RECOVERY_COPY) },
  recover_secret: { body: { password: PASSWORD, code: '492039' }, result: { value: SEALED, encrypted_private_key: ENCRYPTED_PRIVATE_KEY } },

  create_account_client: {
    body: { name: 'Deployment', capabilities: ['service_management'], purpose: 'ci' },
    result: { ...ACCOUNT_CLIENT, client_secret: 'shown once' },
  },
  list_account_clients: { query: { limit: 50 }, result: page({ ...ACCOUNT_CLIENT, created_at: AT }) },
  change_capabilities: {
    body: { capabilities: ['service_management', 'oauth_apps'] },
    result: { ...ACCOUNT_CLIENT, capabilities: ['service_management', 'oauth_apps'], created_at: AT },
  },
  regenerate_account_secret: { result: { client_id: 'acct_9d2f', client_secret: 'shown once' } },
  create_oauth_app: {
    body: { name: 'Acme login', redirect_uris: ['https://acme.example/back'], claims: [{ slug: 'email', label: 'E-mail', type: 'email' }] },
    result: { ...OAUTH_APP, client_secret: 'shown once' },
  },
  list_oauth_apps: { query: { limit: 50 }, result: page(OAUTH_APP) },
  change_oauth_app: {
    body: { redirect_uris: ['https://acme.example/back', 'com.acme.app:/back'] },
    result: { ...OAUTH_APP, redirect_uris: ['https://acme.example/back', 'com.acme.app:/back'] },
  },

  list_plugins: { result: { ...page(PLUGIN), builtin: [{ key: 'address_search', name: 'Address search', enabled: false }] } },
  add_plugin: {
    body: { base_url: 'https://plugins.acme.example', token: 'plugin-token-7f2a' },
    result: { ...PLUGIN, registry_pass: REGISTRY_PASS },
  },
  switch_on_builtin: { result: { ...PLUGIN, base_url: null, builtin_key: 'address_search', token: null, registry_pass: REGISTRY_PASS } },
  change_plugin_token: { body: { token: 'plugin-token-7f2b' }, result: PLUGIN },
  issue_registry_pass: { result: REGISTRY_PASS },
  call_plugin: { body: { pass: REGISTRY_PASS.pass, plugin_id: 'plug_20', request: SEALED }, result: { reply: SEALED } },
  refresh_plugin: {
    body: { pass: REGISTRY_PASS.pass },
    result: {
      plugin_id: 'plug_20',
      name: 'Address search',
      field_types: [{ field_type: 'delivery_address', label: 'Delivery address' }],
      last_refresh: AT,
    },
  },

  create_service: { body: { name: 'Acme Shop', admin_email: 'shop@acme.example', ...KEYS }, result: SERVICE },
  list_services: { query: { limit: 50 }, result: page(SERVICE) },
  read_service: { result: SERVICE },
  change_share_code: { body: { share_code: 'SHOP' }, result: SERVICE },
  change_admin_email: { body: { admin_email: 'shop@acme.example' }, result: SERVICE },
  change_number_matching: { body: { number_matching: true }, result: SERVICE },
  read_share_config: { result: { audience: 'both', fields: ['company_name'], photo_id: 'photo_6a' } },
  change_share_config: {
    body: { audience: 'both', fields: ['company_name'], photo_id: 'photo_6a' },
    result: { audience: 'both', fields: ['company_name'], photo_id: 'photo_6a' },
  },
  read_own_request_fields: { result: OWN_REQUEST },
  publish_request_fields: {
    body: { config_token: 'cfg_12', fields: [{ slug: 'home_address', label: 'Home address', type: 'address', mandatory: true }] },
    result: OWN_REQUEST,
  },
  read_service_logs: { query: { limit: 50 }, result: page(LOG_ENTRY) },
  list_service_photos: { result: page(PHOTO) },
  add_service_photo: { body: IMAGE, result: PHOTO },

  create_service_client: { body: {}, result: { ...SERVICE_CLIENT, client_secret: 'shown once' } },
  read_service_client: { result: SERVICE_CLIENT },
  change_service_client: {
    body: { redirect_uri: 'https://acme.example/back' },
    result: { ...SERVICE_CLIENT, redirect_uri: 'https://acme.example/back' },
  },
  regenerate_service_secret: { result: { client_id: 'svc_acme_shop', client_secret: 'shown once' } },

  list_webhooks: { result: page(WEBHOOK) },
  create_webhook: { body: { url: WEBHOOK.url, events: WEBHOOK.events }, result: { ...WEBHOOK, hmac_secret_once: 'generated, shown once' } },
  read_webhook: { result: WEBHOOK },
  change_webhook: {
    body: { url: WEBHOOK.url, format: 'xml', auth_type: 'bearer', auth_token: 'a-token-of-ours' },
    result: { ...WEBHOOK, format: 'xml', auth_type: 'bearer', auth_token: '••••ours' },
  },
  test_webhook: { result: { delivered: true, status: 200, reason: null } },

  list_contact_data: { result: page(CONTACT_VALUE) },
  put_contact_data: {
    body: { value: SEALED, is_private: true, copies: [{ connection_id: 'conn_7b20', slug: 'home_address', value: SEALED }] },
    result: CONTACT_VALUE,
  },
  list_photos: { result: page(PHOTO) },
  add_photo: { body: IMAGE, result: PHOTO },
  list_delegates: { query: { limit: 50 }, result: page(DELEGATE) },
  add_delegate: { body: { share_code: 'B0B' }, result: { ...DELEGATE, services: [] } },
  grant_service: { body: { passphrase: SEALED }, result: DELEGATE },
};
