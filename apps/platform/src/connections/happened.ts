import type { NewEvent } from '../feed/index.ts';
import type { ConnectionRow } from './connection-row.ts';

/** What every event says of its customer. @spec D1-6.1 */
const every = ({ customer_user_id, share_code }: ConnectionRow, at: Date) => ({
  person_user_id: customer_user_id,
  share_code,
  at: at.toISOString(),
});

const ofConnection = ({ company_user_id, service_id, connection_id }: ConnectionRow) => ({ company_user_id, service_id, connection_id });

/** Somebody came or left. @spec D1-6.1 */
export const ofCustomer = (event: 'connection_created' | 'connection_deleted', row: ConnectionRow, at: Date): NewEvent => ({
  ...ofConnection(row),
  event: { event, ...every(row, at), customer_type: row.customer_type },
});

type SlotEvent = 'field_updated' | 'field_deleted' | 'consent_accepted' | 'consent_declined';

/** Something happened to one slot; the value is told as it is at delivery, and never waits in the feed. @spec D1-6.1 */
export const ofSlot = (event: SlotEvent, row: ConnectionRow, slug: string, at: Date): NewEvent => ({
  ...ofConnection(row),
  event: { event, ...every(row, at), slug },
});
