import { z } from 'zod';
import { Ciphertext } from '../core/sealed.ts';
import { Id, Timestamp } from '../core/text.ts';

/** The members of each kind beside those that every event has. @spec D1-6.1 */
export const messageEvents = {
  message_received: {
    connection_id: Id,
    message_id: Id,
    person_public_key: z.string(),
    created_at: Timestamp,
    body: Ciphertext,
  },
};
