import type { Examples } from '../core/example.ts';
import { AT, page, SEALED } from '../core/samples.ts';

const MESSAGE = { message_id: 'msg_1', connection_id: 'conn_7b20', from: 'company', body: SEALED, created_at: AT, read_at: null };

const UNREAD = { connection_id: 'conn_7b20', unread: 2, oldest_message_id: 'msg_1', oldest_at: AT };

const ofCustomer: Examples = {
  list_messages: { query: { connection_id: 'conn_7b20', limit: 50 }, result: page(MESSAGE) },
  write_message: {
    body: { connection_id: 'conn_7b20', body: SEALED },
    result: { message_id: 'msg_2', connection_id: 'conn_7b20', created_at: AT },
  },
  read_messages: { body: { connection_id: 'conn_7b20', message_id: 'msg_1' } },
  list_unread: { result: page(UNREAD) },
};

/** Examples, by the names of the endpoints. */
export const messagesExamples: Examples = {
  ...ofCustomer,
  list_customer_messages: ofCustomer['list_messages']!,
  write_customer_message: ofCustomer['write_message']!,
  read_customer_messages: ofCustomer['read_messages']!,
  list_customer_unread: ofCustomer['list_unread']!,
  send_message: { body: { body: SEALED }, result: { message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT } },
  broadcast_message: {
    body: { messages: [{ connection_id: 'conn_7b20', body: SEALED }] },
    result: { messages: [{ message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT }] },
  },
  list_unread_messages: { query: { limit: 50 }, result: page(UNREAD) },
  acknowledge_messages: { body: { message_id: 'msg_1' } },
};
