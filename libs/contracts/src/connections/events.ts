import { z } from 'zod';
import { Ciphertext } from '../core/sealed.ts';
import { CustomerType, Id } from '../core/text.ts';

const connection = { customer_type: CustomerType };
const slot = { slug: z.string() };
const request = { request_id: Id };

/** The members of each kind beside those that every event has. @spec D1-6.1 */
export const connectionEvents = {
  connection_created: connection,
  connection_deleted: connection,
  /** The state of the slot at the time of delivery: either ciphertext or the address of a file, never both or neither. @spec D1-2.8 */
  field_updated: { ...slot, live: z.boolean(), value: Ciphertext.optional(), value_url: z.string().optional() },
  field_deleted: slot,
  consent_accepted: slot,
  consent_declined: slot,
  connection_request_accepted: request,
  connection_request_rejected: request,
};
