import { z } from 'zod';
import { named } from '../core/named.ts';
import { Ciphertext } from '../core/sealed.ts';
import { Id, Timestamp } from '../core/text.ts';

/** A message on a connection, sealed to its reader. @spec D1-4.2 @gap D1-4.7 */
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
