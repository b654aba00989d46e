import type { AppEventKind } from '@codase/contracts';
import type { NewAppEvent } from '../../foundation/app-events/index.ts';
import type { NewEvent } from '../../services/feed/index.ts';
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

/** Returns the events for the phones of those customers who are persons; a company has no phone. @gap D1-1 */
export const phoneEvents = (
  kind: Extract<AppEventKind, 'connection_deleted' | 'message_received' | 'messages_read'>,
  connections: readonly ConnectionRow[],
  at: Date,
): NewAppEvent[] =>
  connections
    .filter(({ customer_type }) => customer_type === 'person')
    .map(({ customer_user_id, company_user_id, connection_id }) => ({
      person_user_id: customer_user_id,
      company_user_id,
      kind,
      object_id: connection_id,
      at,
    }));
