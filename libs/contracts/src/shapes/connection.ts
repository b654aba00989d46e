import { z } from 'zod';
import { fails } from '../fails.ts';
import { REQUEST_FIELDS, UPLOAD_CHARS } from '../limits.ts';
import { named } from '../named.ts';
import { isSealed, PublicKey } from './sealed.ts';
import { RequestField, ServiceAudience } from './service.ts';
import { CustomerType, Id, Sha256, Slug, Timestamp } from './text.ts';

/** What a verified field says for itself. Trust the value only if its hash is verified_hash. @spec D1-2.7 */
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
export const ConnectionValue = named('ConnectionValue', z.object({
  value: z.string().brand<'Sealed'>().optional(),
  value_url: z.string().optional(),
  /** False: a snapshot, shared once. */
  live: z.boolean(),
  updated_at: Timestamp,
  ...verification,
}));
export type ConnectionValue = z.infer<typeof ConnectionValue>;

/** @spec D1-2.7 @gap D1-2.7 */
export const Connection = named('Connection', z.object({
  id: Id,
  person_id: Id,
  display_name: z.string(),
  connected_at: Timestamp,
  customer_type: CustomerType,
  share_code: z.string().nullable(),
  values: z.record(z.string(), ConnectionValue),
  /** By slug: whether the source of the value is private. */
  values_private: z.record(z.string(), z.boolean()),
}));
export type Connection = z.infer<typeof Connection>;

/** One connection with the slots it provides; the id is what the file route takes. @spec D1-2.7 @gap D1-2.7 */
export const ConnectionDetail = named('ConnectionDetail', Connection.extend({
  fields: z.array(z.object({ service_field_id: Id, slug: z.string(), label: z.string(), type: z.string() })),
}));

/** A service as those see it who may connect to it. @gap D1-5.8 */
export const ServiceCard = named('ServiceCard', z.object({
  service_id: Id,
  name: z.string(),
  company: z.object({ display_name: z.string(), share_code: z.string() }),
  audience: ServiceAudience,
  public_key: PublicKey,
  config_token: z.string(),
  request_fields: z.array(RequestField),
}));

/**
 * One answer to a request row. Text is always sealed to the service key; a file of a source that is not private travels as its envelope
 * in the clear, a JSON string. @spec D1-2.8 @gap D1-4.7
 */
export const SharedValue = z
  .strictObject({
    slug: Slug,
    value: z.string(fails('contact_data.encryption_required')).max(UPLOAD_CHARS, fails('documents.too_large')),
    live: z.boolean().default(true),
    source_private: z.boolean().default(true),
    /** The person's own field, so that its next edit can be followed. Never told to the service. */
    source_field: Slug.optional(),
  })
  .refine(({ value, source_private }) => !source_private || isSealed(value), fails('contact_data.encryption_required'));

/** The answers to a whole request. */
export const SharedValues = z.array(SharedValue).max(REQUEST_FIELDS);

/** COMPANYCODE/SERVICECODE. @gap D1-7 */
export const ConnectCode = z.string(fails('profile.company_code_requires_service')).regex(/^[A-Z0-9]{1,16}\/[A-Z0-9]{1,8}$/, fails('profile.company_code_requires_service'));

/** A connection as its customer sees it. @gap D1-5.8 */
export const CustomerConnection = named('CustomerConnection', z.object({
  id: Id,
  service: ServiceCard.omit({ config_token: true, request_fields: true }),
  connected_at: Timestamp,
  values: z.array(z.object({ slug: z.string(), live: z.boolean(), source_private: z.boolean(), source_field: z.string().nullable(), updated_at: Timestamp })),
  /** Rows that were asked for since and are neither answered nor declined. */
  open_requests: z.array(RequestField),
}));

/** A changed answer of a live connection: a new value, a live mapping dropped, or a requested field declined. @spec D1-6.1 @gap D1-4.7 */
export const ConnectionChange = z.strictObject({
  values: SharedValues.default([]),
  drop: z.array(Slug).max(REQUEST_FIELDS).default([]),
  decline: z.array(Slug).max(REQUEST_FIELDS).default([]),
});

/** The copies of a field's new value, one for each live slot it answers. @gap D1-6.1 */
export const LiveCopies = z.array(z.strictObject({ connection_id: Id, slug: Slug, value: z.string().max(UPLOAD_CHARS, fails('documents.too_large')) })).max(1000);

/** @spec D1-4.2 @gap D1-4.7 */
export const ConnectRequest = named('ConnectRequest', z.object({ request_id: Id, service: ServiceCard, message: z.string().nullable(), asked_at: Timestamp }));

/** A value of one's own profile: a person's is sealed to the person's key unless it is public, a company's is in the clear. @gap D1-5.8 */
export const ContactValue = named('ContactValue', z.object({ slug: z.string(), value: z.string(), is_private: z.boolean(), updated_at: Timestamp, ...verification }));

/** A message on a connection, sealed to its reader. @spec D1-4.2 @gap D1-4.7 */
export const Message = named('Message', z.object({
  message_id: Id,
  connection_id: Id,
  from: z.enum(['person', 'company']),
  body: z.string().brand<'Sealed'>(),
  created_at: Timestamp,
  read_at: Timestamp.nullable(),
}));
