import type { Examples } from '../core/example.ts';
import { AT, KEYS, page } from '../core/samples.ts';

export const REQUEST_FIELD = {
  slug: 'home_address',
  label: 'Home address',
  type: 'address',
  one_time: false,
  mandatory: true,
  verified: false,
  plugin: null,
};
const LOG_ENTRY = {
  id: 'log_1',
  at: AT,
  kind: 'webhook_health',
  message: 'The endpoint answered 503: running became bad',
  webhook_id: 'hook_31f8',
};

const SERVICE = {
  id: 'shop_4d1e',
  name: 'Acme Shop',
  share_code: 'SHOP',
  admin_email: 'shop@acme.example',
  admin_email_confirmed: true,
  number_matching: true,
  audience: 'both',
  ...KEYS,
  created_at: AT,
};
const OWN_REQUEST = { config_token: 'cfg_13', fields: [{ ...REQUEST_FIELD, service_field_id: 'slot_19c4', audience: 'both' }] };

/** Examples, by the names of the endpoints. */
export const servicesExamples: Examples = {
  create_service: { body: { name: 'Acme Shop', admin_email: 'shop@acme.example', ...KEYS }, result: SERVICE },
  list_services: { query: { limit: 50 }, result: page(SERVICE) },
  read_service: { result: SERVICE },
  change_share_code: { body: { share_code: 'SHOP' }, result: SERVICE },
  change_admin_email: { body: { admin_email: 'shop@acme.example' }, result: SERVICE },
  confirm_admin_email: { body: { code: 'AB23CD45' }, result: SERVICE },
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
  whoami: { result: { company_user_id: 'user_acme', service_id: 'shop_4d1e' } },
  read_request_fields: { result: { config_token: 'cfg_12', fields: [REQUEST_FIELD] } },
  read_logs: { query: { limit: 50 }, result: page(LOG_ENTRY) },
};
