import { z } from 'zod';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done } from '../core/platform-subjects.ts';
import { Ciphertext } from '../core/sealed.ts';
import { idempotent } from '../core/subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { Message, SentMessage, UnreadMessages } from './shapes.ts';

const ofCustomer = z.strictObject({ user_id: Id });
const ofConnection = ofCustomer.extend({ connection_id: Id });

/**
 * Subjects that a customer's home region asks of the region in which a connection lives, which is the company's. Its messages are kept
 * there and nowhere else. @gap D1-1
 */
export const MESSAGE_SUBJECTS = {
  /** The messages, the newest first, as many as fit into a reply. */
  list: idempotent(
    peerRead(
      'list_messages',
      { speaksFor: 'user_id' },
      ofConnection.extend({ limit: z.int(), after: z.strictObject({ at: Timestamp, id: Id }).nullable() }),
      z.object({ messages: z.array(Message), more: z.boolean() }),
    ),
  ),
  /** Writes a message. The same wrapper means the same message. */
  write: idempotent(
    peerWrite(
      'write_message',
      {
        speaksFor: 'user_id',
        personAct: ({ connection_id, body }) => ({ act: 'write_message', on: connection_id, body: { connection_id, body } }),
      },
      ofConnection.extend({ body: Ciphertext }),
      SentMessage,
    ),
    'in_turn',
  ),
  read: idempotent(peerWrite('read_messages', { speaksFor: 'user_id' }, ofConnection.extend({ message_id: Id }), Done), 'in_turn'),
  unread: idempotent(peerRead('unread_messages', { speaksFor: 'user_id' }, ofCustomer, z.object({ unread: z.array(UnreadMessages) }))),
} as const;
