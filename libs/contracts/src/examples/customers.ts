import type { Examples } from './example.ts';
import { AT, CUSTOMER_CONNECTION, KEYS, LATER, page, REQUEST_FIELD, SEALED, SERVICE_CARD, SHARED_VALUES } from './samples.ts';

const OUTCOME = { status: 'approved', completed_at: LATER };
const MESSAGE = { message_id: 'msg_1', connection_id: 'conn_7b20', from: 'company', body: SEALED, created_at: AT, read_at: null };
const CARD = {
  challenge_id: 'chal_c05b',
  service_id: 'shop_4d1e',
  service_name: 'Acme Shop',
  context: 'Sign-in from Berlin',
  number_matching: true,
  created_at: AT,
  expires_at: LATER,
};
const PHONE = { id: 'dev_9b', name: "Ada's phone", created_at: AT, last_seen_at: LATER };

/** What customers do: connect and share, and what only a phone does. */
export const customerExamples: Examples = {
  read_service_card: { result: { ...SERVICE_CARD, config_token: 'cfg_12', request_fields: [REQUEST_FIELD] } },
  connect: { body: { code: 'ACME/SHOP', values: SHARED_VALUES }, result: CUSTOMER_CONNECTION },
  list_customer_connections: { query: { limit: 50 }, result: page(CUSTOMER_CONNECTION) },
  read_customer_connection: { result: CUSTOMER_CONNECTION },
  change_customer_connection: { body: { values: SHARED_VALUES, decline: ['birthday'] }, result: CUSTOMER_CONNECTION },
  drain_customer_changes: {
    result: {
      events: [
        { id: 'cevt_1', event: 'flow_run_turn', service_id: 'shop_4d1e', connection_id: 'conn_7b20', flow_run_id: 'run_8e61', at: AT },
      ],
      more: false,
    },
  },

  list_challenges: { result: page(CARD) },
  approve_challenge: { body: { gate: 'biometric', digits: '42' }, result: OUTCOME },
  deny_challenge: { result: { ...OUTCOME, status: 'denied' } },
  list_enrolments: { result: page({ service_id: 'shop_4d1e', service_name: 'Acme Shop', enrolled_at: AT }) },
  list_messages: { query: { connection_id: 'conn_7b20', limit: 50 }, result: page(MESSAGE) },
  write_message: {
    body: { connection_id: 'conn_7b20', body: SEALED },
    result: { message_id: 'msg_2', connection_id: 'conn_7b20', created_at: AT },
  },
  list_connect_requests: {
    result: page({
      request_id: 'creq_40',
      service: { ...SERVICE_CARD, config_token: 'cfg_12', request_fields: [REQUEST_FIELD] },
      message: 'You asked us for an offer',
      asked_at: AT,
    }),
  },
  accept_connect_request: { body: { values: SHARED_VALUES }, result: CUSTOMER_CONNECTION },
  list_phones: { result: page(PHONE) },
  add_phone: { body: { name: "Ada's phone" }, result: { device: PHONE, keys: KEYS } },
};
