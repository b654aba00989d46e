import type { Examples } from '../core/example.ts';
import { AT, page, PUBLIC_KEY, SEALED } from '../core/samples.ts';
import { REQUEST_FIELD } from '../services/examples.ts';
import { PLUGIN_PASS } from '../plugins/examples.ts';

const SERVICE_CARD = {
  service_id: 'shop_4d1e',
  name: 'Acme Shop',
  company: { display_name: 'Acme Inc.', share_code: 'ACME' },
  audience: 'both',
  public_key: PUBLIC_KEY,
  photo_id: 'photo_6a',
};
const CONNECTION = {
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
const CUSTOMER_CONNECTION = {
  id: 'conn_7b20',
  service: SERVICE_CARD,
  connected_at: AT,
  open_requests: [],
  values: [{ slug: 'home_address', live: true, source_private: true, source_field: 'home_address', updated_at: AT }],
};

/** Examples, by the names of the endpoints. */
export const connectionsExamples: Examples = {
  read_service_card: { result: { ...SERVICE_CARD, config_token: 'cfg_12', request_fields: [REQUEST_FIELD] } },
  issue_request_plugin_pass: { result: PLUGIN_PASS },
  connect: { body: { code: 'ACME/SHOP', values: SHARED_VALUES }, result: CUSTOMER_CONNECTION },
  list_customer_connections: { query: { limit: 50 }, result: page(CUSTOMER_CONNECTION) },
  read_customer_connection: { result: CUSTOMER_CONNECTION },
  change_customer_connection: { body: { values: SHARED_VALUES, decline: ['birthday'] }, result: CUSTOMER_CONNECTION },
  list_connect_requests: {
    result: page({
      request_id: 'creq_40',
      service: { ...SERVICE_CARD, config_token: 'cfg_12', request_fields: [REQUEST_FIELD] },
      message: 'You asked us for an offer',
      asked_at: AT,
    }),
  },
  accept_connect_request: { body: { values: SHARED_VALUES }, result: CUSTOMER_CONNECTION },
  list_connections: { query: { limit: 50 }, result: { items: [CONNECTION], next_cursor: 'conn_7b20' } },
  read_connection: {
    result: {
      ...CONNECTION,
      fields: [{ service_field_id: 'slot_19c4', slug: 'passport_copy', label: 'Copy of your passport', type: 'passport' }],
    },
  },
  read_slot_file: { result: { encrypted: true, value: SEALED } },
  read_linked_file: { result: { encrypted: true, value: SEALED } },
  request_connection: { body: { share_code: 'K7M2QX', message: 'You asked us for an offer' }, result: { request_id: 'creq_40' } },
};
