import { z } from 'zod';
import { named } from '../core/named.ts';
import { Ciphertext } from '../core/sealed.ts';
import { Id, Timestamp } from '../core/text.ts';

/** The answer to the sender of a message. A repeated call gets the same answer. @gap D1-4.7 */
export const SentMessage = z.object({ message_id: Id, connection_id: Id, created_at: Timestamp });
export type SentMessage = z.infer<typeof SentMessage>;

/** How many unread messages of the other side a connection has, and since when. @spec D1-4.2 @gap D1-4.7 */
export const UnreadMessages = named(
  'UnreadMessages',
  z.object({ connection_id: Id, unread: z.int(), oldest_message_id: Id, oldest_at: Timestamp }),
);
export type UnreadMessages = z.infer<typeof UnreadMessages>;

/** A message on a connection, sealed to its reader. `read_at` is the read receipt. @spec D1-4.2 @gap D1-4.7 */
export const Message = named(
  'Message',
  z.object({
    message_id: Id,
    connection_id: Id,
    from: z.enum(['person', 'company']),
    body: Ciphertext,
    created_at: Timestamp,
    read_at: Timestamp.nullable(),
  }),
);
export type Message = z.infer<typeof Message>;
