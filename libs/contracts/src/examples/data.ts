import type { Examples } from './example.ts';
import {
  AT,
  BOX,
  CONNECTION,
  CONTACT_FIELD,
  DOCUMENT,
  EVENT,
  FILE,
  LATER,
  LOG_ENTRY,
  ONE_TIME_KEY,
  page,
  PUBLIC_KEY,
  REQUEST_FIELD,
  SEALED,
  SHA256,
} from './samples.ts';

/** The front door, and what a service's data client calls beside flows. */
export const dataExamples: Examples = {
  issue_token: {
    body: { grant_type: 'client_credentials', client_id: 'svc_acme_shop', client_secret: 'the secret that was shown once' },
    result: { token_type: 'Bearer', expires_in: 3600, access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', api_url: 'https://eu.cds.example' },
  },
  begin_authorization: {
    query: {
      client_id: 'app_person',
      response_type: 'code',
      redirect_uri: 'https://app.cds.example/back',
      state: 'af0ifjsldkj',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  authorize: {
    body: {
      client_id: 'app_person',
      redirect_uri: 'https://app.cds.example/back',
      state: 'af0ifjsldkj',
      email: 'ada@example.com',
      password: 'correct horse battery',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  authorization_done: { query: { outcome: 'enrolled' } },
  poll_result: {
    body: { client_id: 'svc_acme_shop', client_secret: 'the secret that was shown once', state: 'enrol-2f6c' },
    result: { enrolled: true },
  },
  revoke_token: { body: { token: 'the refresh token', client_id: 'app_person' }, result: {} },
  jwks: {
    result: {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          alg: 'ES256',
          use: 'sig',
          kid: '1',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    },
  },
  server_metadata: {
    result: {
      issuer: 'https://cds.example',
      token_endpoint: 'https://cds.example/oauth2/token',
      authorization_endpoint: 'https://cds.example/oauth2/authorize',
      revocation_endpoint: 'https://cds.example/oauth2/revoke',
      jwks_uri: 'https://cds.example/oauth2/jwks',
      grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      code_challenge_methods_supported: ['S256'],
    },
  },
  list_regions: { result: page({ region: 'eu', api_url: 'https://eu.cds.example' }) },
  health: { result: { status: 'ok' } },
  openapi_document: { result: { openapi: '3.1.0' } },

  whoami: { result: { company_user_id: 'user_acme', service_id: 'shop_4d1e' } },
  read_request_fields: { result: { config_token: 'cfg_12', fields: [REQUEST_FIELD] } },
  read_logs: { query: { limit: 50 }, result: page(LOG_ENTRY) },

  list_connections: { query: { limit: 50 }, result: { items: [CONNECTION], next_cursor: 'conn_7b20' } },
  read_connection: {
    result: {
      ...CONNECTION,
      fields: [{ service_field_id: 'slot_19c4', slug: 'passport_copy', label: 'Copy of your passport', type: 'passport' }],
    },
  },
  read_slot_file: { result: { encrypted: true, value: SEALED } },
  read_linked_file: { result: { encrypted: true, value: SEALED } },
  drain_changes: { query: {}, result: { events: [EVENT], more: false } },
  request_connection: { body: { share_code: 'K7M2QX', message: 'You asked us for an offer' }, result: { request_id: 'creq_40' } },
  send_message: { body: { body: SEALED }, result: { message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT } },
  broadcast_message: {
    body: { messages: [{ connection_id: 'conn_7b20', body: SEALED }] },
    result: { messages: [{ message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT }] },
  },
  acknowledge_messages: { body: { message_id: 'msg_1' } },

  list_documents: { query: { limit: 50, status: 'active' }, result: page(DOCUMENT) },
  create_document: {
    body: {
      name: 'Framework agreement',
      kind: 'agreement',
      payload_kind: 'file',
      target: { connection_id: 'conn_7b20' },
      requires_signature: true,
      plain_sha256: SHA256,
      metadata: { can_be_cancelled_in_app: true },
      file: SEALED,
    },
    result: { ...DOCUMENT, status: 'ready_to_sign', signatures: [], sealed_at: null },
  },
  read_document: { result: DOCUMENT },
  change_document: {
    body: { status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
    result: { ...DOCUMENT, status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
  },
  replace_document_file: { body: { file: FILE }, result: { id: 'doc_66f0', plain_sha256: null } },

  raise_challenge: {
    body: { share_code: 'K7M2QX', idempotency_key: 'login-2026-03-02-0001', context: 'Sign-in to Acme Shop from Berlin' },
    result: { challenge_id: 'chal_c05b', status: 'pending', expires_at: LATER, matching_digits: '42' },
  },
  poll_challenge: { result: { status: 'approved', completed_at: LATER } },

  list_field_types: {
    result: [
      {
        type: 'integer',
        parent: 'number',
        label: 'field_type.integer',
        input: null,
        lane: null,
        check: 'integer',
        options: null,
        fields: null,
        validation: null,
        is_system: true,
      },
    ],
  },
  list_contact_fields: { query: { usertype: 'person' }, result: page(CONTACT_FIELD) },
  put_contact_field: {
    body: { label: 'Shoe size', type: 'integer', usertype: 'person' },
    result: { ...CONTACT_FIELD, slug: 'shoe_size', label: 'Shoe size', type: 'integer', is_system: false },
  },
  read_public_key: { result: { share_code: 'K7M2QX', public_key: PUBLIC_KEY } },

  list_held_documents: { query: { limit: 50 }, result: page(DOCUMENT) },
  read_held_document: { result: DOCUMENT },
  read_held_file: { result: { encrypted: true, value: SEALED } },
  sign_document: {
    body: {
      method: 'biometric',
      signer_first_name: 'Ada',
      signer_last_name: 'Example',
      otk: ONE_TIME_KEY,
      file: BOX,
    },
    result: DOCUMENT,
  },
  accept_document: { body: {}, result: DOCUMENT },
  decline_document: {
    body: { reason: 'The price is too high' },
    result: { ...DOCUMENT, status: 'ended', signatures: [], sealed_at: null },
  },
  cancel_document: {
    body: { effective_date: '2026-12-31' },
    result: { ...DOCUMENT, status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
  },
};
