import type { Message, Sealed, SentMessage, UnreadMessages } from '@codase/contracts';
import type { ConnectionRow } from '../connections/index.ts';
import type { NewEvent } from '../../services/feed/index.ts';
import type { StoredMessage, UnreadRow } from './messages.store.ts';
import type { MessageEntity } from './message.entity.ts';

/** A message as either side reads it. @spec D1-4.2 */
export const presentMessage = ({ message_id, connection_id, sender, body, created_at, read_at }: MessageEntity): Message => ({
  message_id,
  connection_id,
  from: sender,
  body: body as Sealed,
  created_at: created_at.toISOString(),
  read_at: read_at?.toISOString() ?? null,
});

export const presentSent = ({ message_id, connection_id, created_at }: StoredMessage): SentMessage => ({
  message_id,
  connection_id,
  created_at: created_at.toISOString(),
});

export const presentUnread = ({ oldest_at, ...row }: UnreadRow): UnreadMessages => ({ ...row, oldest_at: oldest_at.toISOString() });

/** The event that a customer wrote to the service. It carries the public key to which the service seals its answer. @spec D1-6.1 */
export function messageEvent(connection: ConnectionRow, { message_id, created_at }: StoredMessage, body: string): NewEvent {
  const { company_user_id, service_id, connection_id, customer_user_id: person_user_id, share_code, public_key } = connection;
  const at = created_at.toISOString();
  const members = { connection_id, message_id, person_public_key: public_key, created_at: at, body: body as Sealed };
  return { company_user_id, service_id, connection_id, event: { event: 'message_received', person_user_id, share_code, at, ...members } };
}
