import type { Examples } from '../core/example.ts';
import { AT, page, SEALED } from '../core/samples.ts';

const MESSAGE = { message_id: 'msg_1', connection_id: 'conn_7b20', from: 'company', body: SEALED, created_at: AT, read_at: null };

/** By the names of the endpoints. */
export const messagesExamples: Examples = {
  list_messages: { query: { connection_id: 'conn_7b20', limit: 50 }, result: page(MESSAGE) },
  write_message: {
    body: { connection_id: 'conn_7b20', body: SEALED },
    result: { message_id: 'msg_2', connection_id: 'conn_7b20', created_at: AT },
  },
  send_message: { body: { body: SEALED }, result: { message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT } },
  broadcast_message: {
    body: { messages: [{ connection_id: 'conn_7b20', body: SEALED }] },
    result: { messages: [{ message_id: 'msg_1', connection_id: 'conn_7b20', created_at: AT }] },
  },
  acknowledge_messages: { body: { message_id: 'msg_1' } },
};
