import type { Examples } from '../core/example.ts';
import { AT, SEALED } from '../core/samples.ts';
import type { FeedEvent } from './feed-event.ts';

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

/** Examples, by the names of the endpoints. */
export const feedExamples: Examples = {
  drain_customer_changes: {
    result: {
      events: [
        { id: 'cevt_1', event: 'message_received', service_id: 'shop_4d1e', connection_id: 'conn_7b20', message_id: 'msg_2c41', at: AT },
      ],
      more: false,
    },
  },
  drain_changes: { query: {}, result: { events: [EVENT], more: false } },
};
