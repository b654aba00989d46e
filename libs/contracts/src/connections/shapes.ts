import { z } from 'zod';
import { named } from '../core/named.ts';
import { Ciphertext } from '../core/sealed.ts';
import { CustomerType, Id, Sha256, Timestamp } from '../core/text.ts';

/** The members that attest a verified field. Trust the value only if its hash is verified_hash. @spec D1-2.7 */
export const verification = {
  verified_hash: Sha256.optional(),
  verified_salt: z.string().optional(),
  verified_at: Timestamp.optional(),
  verified_expires_at: Timestamp.nullable().optional(),
  verified_method: z.string().optional(),
  verified_provider: z.string().optional(),
  verification_id: z.string().optional(),
};

/** A text value comes as ciphertext, a binary one as the address of its file. @spec D1-2.7 @spec D1-2.8 */
export const ConnectionValue = named(
  'ConnectionValue',
  z.object({
    value: Ciphertext.optional(),
    value_url: z.string().optional(),
    /** False for a snapshot that was shared once. */
    live: z.boolean(),
    updated_at: Timestamp,
    ...verification,
  }),
);
export type ConnectionValue = z.infer<typeof ConnectionValue>;

/** @spec D1-2.7 @gap D1-2.7 */
export const Connection = named(
  'Connection',
  z.object({
    id: Id,
    person_id: Id,
    display_name: z.string(),
    connected_at: Timestamp,
    customer_type: CustomerType,
    share_code: z.string().nullable(),
    values: z.record(z.string(), ConnectionValue),
    /** Whether the source of each value is private, by slug. */
    values_private: z.record(z.string(), z.boolean()),
  }),
);
export type Connection = z.infer<typeof Connection>;

/** One connection with the slots it provides. The file route takes their `service_field_id`. @spec D1-2.7 @gap D1-2.7 */
export const ConnectionDetail = named(
  'ConnectionDetail',
  Connection.extend({
    fields: z.array(z.object({ service_field_id: Id, slug: z.string(), label: z.string(), type: z.string() })),
  }),
);
