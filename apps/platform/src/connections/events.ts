import type { NewEvent } from '../feed/index.ts';
import type { ConnectionRow } from './connection-row.ts';

/** The members that every event has: its customer and its time. @spec D1-6.1 */
const eventOf = ({ customer_user_id, share_code }: ConnectionRow, at: Date) => ({
  person_user_id: customer_user_id,
  share_code,
  at: at.toISOString(),
});

const ofConnection = ({ company_user_id, service_id, connection_id }: ConnectionRow) => ({ company_user_id, service_id, connection_id });

/** A customer connected or disconnected. @spec D1-6.1 */
export const connectionEvent = (event: 'connection_created' | 'connection_deleted', row: ConnectionRow, at: Date): NewEvent => ({
  ...ofConnection(row),
  event: { event, ...eventOf(row, at), customer_type: row.customer_type },
});

type SlotEvent = 'field_updated' | 'field_deleted' | 'consent_accepted' | 'consent_declined';

/** A change of one slot. It carries no value: the feed reads the slot's value when it delivers the event. @spec D1-6.1 */
export const slotEvent = (event: SlotEvent, row: ConnectionRow, slug: string, at: Date): NewEvent => ({
  ...ofConnection(row),
  event: { event, ...eventOf(row, at), slug },
});
