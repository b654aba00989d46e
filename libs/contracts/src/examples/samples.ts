import type { FeedEvent } from '../events/feed-event.ts';

/** Made-up things that the examples share. */

/** A value of each path parameter. */
export const PARAMETER_SAMPLES: Readonly<Record<string, string>> = {
  id: 'a3f7c2d9',
  serviceId: 'shop_4d1e',
  connectionId: 'conn_7b20',
  serviceFieldId: 'slot_19c4',
  flowId: 'flow_52aa',
  runId: 'run_8e61',
  slug: 'passport_copy',
  sourceKey: 'conn:customer:trade_register',
  outputKey: 'contract',
  challenge_id: 'chal_c05b',
  challengeId: 'chal_c05b',
  shareCode: 'K7M2QX',
  companyCode: 'ACME',
  serviceCode: 'SHOP',
  webhookId: 'hook_31f8',
  photoId: 'photo_6a',
  asset: 'start.js',
  deviceId: 'dev_9b',
  copyId: 'copy_2c',
  delegateId: 'dele_77',
  requestId: 'creq_40',
  assetKey: 'contract_en',
  file: 'file_e2d0',
  key: 'address_search',
};

export const AT = '2026-03-02T09:30:00Z';
export const LATER = '2026-03-02T09:35:00Z';
export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Ciphertext by its form. */
export const SEALED = JSON.stringify({
  _enc: 1,
  k: `${'q83v'.repeat(85)}qw==`,
  iv: 'AAECAwQFBgcICQoL',
  d: 'b3BhcXVlIHRvIHRoZSBzZXJ2ZXIgYnkgZGVzaWdu',
});
export const BOX = 'AAECAwQFBgcICQoLb3BhcXVlIHRvIHRoZSBzZXJ2ZXIgYnkgZGVzaWdu';
export const ONE_TIME_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const PUBLIC_KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'q83v'.repeat(90)}`;
export const ENCRYPTED_PRIVATE_KEY = { iter: 100_000, salt: 'AAECAwQFBgcICQoLDA0ODw==', iv: 'AAECAwQFBgcICQoL', data: 'q83v'.repeat(406) };
export const KEYS = { public_key: PUBLIC_KEY, encrypted_private_key: ENCRYPTED_PRIVATE_KEY };
export const FILE = { file: 'data:application/pdf;base64,JVBERi0xLjcK', original_name: 'terms.pdf', mime_type: 'application/pdf', size: 9 };
export const IMAGE = { file: 'data:image/png;base64,iVBORw0KGgo=', original_name: 'logo.png', mime_type: 'image/png', size: 8 };
export const PHOTO = { id: 'photo_6a', content_type: 'image/png', size: 20_480, created_at: AT };

export const REQUEST_FIELD = {
  slug: 'home_address',
  label: 'Home address',
  type: 'address',
  one_time: false,
  mandatory: true,
  verified: false,
  plugin: null,
};
export const CONTACT_FIELD = {
  slug: 'home_address',
  label: 'Home address',
  type: 'address',
  usertype: 'any',
  options: null,
  is_system: true,
};
export const LOG_ENTRY = {
  id: 'log_1',
  at: AT,
  kind: 'webhook_health',
  message: 'The endpoint answered 503: running became bad',
  webhook_id: 'hook_31f8',
};

export const SERVICE = {
  id: 'shop_4d1e',
  name: 'Acme Shop',
  share_code: 'SHOP',
  admin_email: 'shop@acme.example',
  number_matching: true,
  audience: 'both',
  ...KEYS,
  created_at: AT,
};
export const SERVICE_CARD = {
  service_id: 'shop_4d1e',
  name: 'Acme Shop',
  company: { display_name: 'Acme Inc.', share_code: 'ACME' },
  audience: 'both',
  public_key: PUBLIC_KEY,
};
export const CONNECTION = {
  id: 'conn_7b20',
  person_id: 'user_55d1',
  display_name: 'Ada Example',
  connected_at: AT,
  customer_type: 'person',
  share_code: 'K7M2QX',
  values: {
    home_address: { value: SEALED, live: true, updated_at: AT },
    passport_copy: { value_url: '/api/company-data/connections/conn_7b20/slots/slot_19c4/file', live: false, updated_at: AT },
  },
  values_private: { home_address: true, passport_copy: true },
};
export const SHARED_VALUES = [{ slug: 'home_address', value: SEALED, live: true, source_private: true, source_field: 'home_address' }];
export const CUSTOMER_CONNECTION = {
  id: 'conn_7b20',
  service: SERVICE_CARD,
  connected_at: AT,
  open_requests: [],
  values: [{ slug: 'home_address', live: true, source_private: true, source_field: 'home_address', updated_at: AT }],
};

export const EVENT: FeedEvent = {
  id: 'evt_0001',
  event: 'field_updated',
  person_user_id: 'user_55d1',
  share_code: 'K7M2QX',
  at: AT,
  slug: 'home_address',
  live: true,
  value: SEALED as Extract<FeedEvent, { event: 'field_updated' }>['value'],
};

export const DOCUMENT = {
  id: 'doc_66f0',
  name: 'Framework agreement',
  kind: 'agreement',
  payload_kind: 'file',
  requires_signature: true,
  requires_acceptance: false,
  is_private: false,
  status: 'active',
  metadata: { can_be_cancelled_in_app: true },
  plain_sha256: SHA256,
  sealed_at: LATER,
  cancel_effective_date: null,
  connection_id: 'conn_7b20',
  person_user_id: 'user_55d1',
  flow_run_id: null,
  created_at: AT,
  signatures: [
    {
      action: 'signed',
      method: 'biometric',
      content_sha256: SHA256,
      plain_sha256: SHA256,
      signer_first_name: 'Ada',
      signer_last_name: 'Example',
      signer_name_verified: true,
      created_at: LATER,
    },
  ],
};

export const WEBHOOK = {
  id: 'hook_31f8',
  url: 'https://hooks.acme.example/cds',
  events: ['field_updated', 'field_deleted'],
  format: 'json',
  auth_type: 'hmac',
  encrypt_payload: false,
  enabled: true,
  hmac_secret: '••••c9Q4',
  auth_token: null,
  auth_username: null,
  auth_password: null,
  auth_header_name: null,
  auth_header_value: null,
  health: { state: 'running', since: AT, next_probe_at: null, backlog: 0, oldest_at: null },
  created_at: AT,
};

export const SNAPSHOT = {
  plugin_name: 'Address search',
  host: 'plugins.acme.example',
  label: 'Delivery address',
  blocks: [{ key: 'place', kind: 'search_select', label: 'Place' }],
  inputs: [{ key: 'country', type: 'text', label: 'Country', required: true }],
  outputs: [{ key: 'zone', type: 'number', label: 'Delivery zone' }],
};
export const PLUGIN = {
  id: 'plug_20',
  name: 'Address search',
  base_url: 'https://plugins.acme.example',
  builtin_key: null,
  token: '••••7f2a',
  field_types: [{ field_type: 'delivery_address', label: 'Delivery address' }],
  last_refresh: AT,
  last_error: null,
  in_use: { flows: ['Framework agreement'], request_fields: [], claims: [] },
};
export const REGISTRY_PASS = { pass: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', forwarder_url: 'https://forwarder.cds.example' };

export const DEFINITION = {
  entry: 'ask',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'ask',
      party: 'customer',
      title: 'Your order',
      elements: [{ kind: 'field', slug: 'quantity', label: 'Quantity', type: 'integer', required: true }],
    },
    {
      key: 'sign',
      party: 'company',
      title: 'Check',
      elements: [{ kind: 'text', text: 'Total: {{total}}' }],
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'contract',
            name: 'Contract',
            rules: [{ asset_key: 'contract_en', languages: 'all', signers: [{ party: 'customer', action: 'sign' }] }],
          },
        ],
      },
    },
  ],
  edges: [{ from: 'ask', to: 'sign', when: { field: 'quantity', op: 'gt', value: 0 } }],
  constants: [
    {
      key: 'total',
      label: 'Total',
      result_type: 'number',
      shown_on: ['sign'],
      expr: {
        type: 'math',
        op: 'mul',
        args: [
          { type: 'ref', key: 'quantity' },
          { type: 'lit', value_type: 'number', value: 12.5 },
        ],
      },
    },
  ],
};
export const RUN_SUMMARY = { id: 'run_8e61', flow_id: 'flow_52aa', status: 'awaiting_company', current_node: 'sign' };
export const RUN = {
  ...RUN_SUMMARY,
  flow_version: 3,
  service_id: 'shop_4d1e',
  connection_id: 'conn_7b20',
  company_user_id: 'user_acme',
  bindings: { company: 'user_acme', customer: 'user_55d1' },
  participants: [
    { party_key: 'customer', person_user_id: 'user_55d1', connection_id: 'conn_7b20', documents: [] },
    { party_key: 'company', person_user_id: 'user_acme', connection_id: null, documents: [] },
  ],
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme' },
    { key: 'customer', label: 'Customer' },
  ],
  answers: [{ slug: 'quantity', for_user_id: 'user_acme', value: SEALED }],
  definition: DEFINITION,
  reference_date: '2026-03-02',
  private_slugs: [],
  owner_tag_values: null,
  tag_values: null,
  source_files: {},
};
export const CUSTOMER_RUN = { ...RUN, party_keys: { user_acme: PUBLIC_KEY, user_55d1: PUBLIC_KEY } };
export const NEW_RUN = { targets: { customer: { connection_id: 'conn_7b20' } }, flow_version: 3 };
export const TURN = {
  answers: [
    {
      slug: 'quantity',
      values: [
        { for_user_id: 'user_acme', value: SEALED },
        { for_user_id: 'user_55d1', value: SEALED },
      ],
      source_private: false,
    },
  ],
  next_node: 'sign',
};
export const GENERATION = { otk: ONE_TIME_KEY, values: BOX, inputs: [{ source_key: 'field:trade_register', input: 'inp_1' }] };
export const GENERATED = {
  documents: [{ output_key: 'contract', party_key: 'customer', document_id: 'doc_66f0', position: 1 }],
  status: 'awaiting_signature',
};
export const PLUGIN_PASS = {
  ...REGISTRY_PASS,
  plugins: [{ id: 'plug_20', public_key: PUBLIC_KEY }],
  specs: { delivery: { plugin_id: 'plug_20', field_type: 'delivery_address', snapshot: SNAPSHOT, inputs: { country: 'country' } } },
};

export const page = (...items: unknown[]) => ({ items, next_cursor: null });
