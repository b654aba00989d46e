import { z } from 'zod';
import { Done, peerSubject } from '../core/platform-subjects.ts';
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
    peerSubject(
      'list_messages',
      ofConnection.extend({ limit: z.int(), after: z.strictObject({ at: Timestamp, id: Id }).nullable() }),
      z.object({ messages: z.array(Message), more: z.boolean() }),
    ),
  ),
  /** Writes a message. The same wrapper means the same message. */
  write: idempotent(peerSubject('write_message', ofConnection.extend({ body: Ciphertext }), SentMessage), 'in_turn'),
  read: idempotent(peerSubject('read_messages', ofConnection.extend({ message_id: Id }), Done), 'in_turn'),
  unread: idempotent(peerSubject('unread_messages', ofCustomer, z.object({ unread: z.array(UnreadMessages) }))),
} as const;
