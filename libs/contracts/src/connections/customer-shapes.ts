import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { UPLOAD_CHARS } from '../core/limits.ts';
import { named } from '../core/named.ts';
import { isSealed, PublicKey, WRAPPER_FORM } from '../core/sealed.ts';
import { Id, Slug, Timestamp } from '../core/text.ts';
import { REQUEST_FIELDS } from '../services/limits.ts';
import { RequestField, ServiceAudience } from '../services/shapes.ts';

/** A service as customers see it before they connect. @gap D1-5.8 */
export const ServiceCard = named(
  'ServiceCard',
  z.object({
    service_id: Id,
    name: z.string(),
    company: z.object({ display_name: z.string(), share_code: z.string() }),
    audience: ServiceAudience,
    public_key: PublicKey,
    /** The photo that the service shows, null when it shows none. A region of an earlier release leaves it out. */
    photo_id: Id.nullable().optional(),
    config_token: z.string(),
    request_fields: z.array(RequestField),
  }),
);

/**
 * One answer to a request row. Text is always sealed to the service key. A file from a source that is not private travels in the clear, as
 * its envelope in a JSON string. @spec D1-2.8 @gap D1-4.7
 */
export const SharedValue = z
  .strictObject({
    slug: Slug,
    value: z.string(fails('contact_data.encryption_required')).max(UPLOAD_CHARS, fails('documents.too_large')),
    live: z.boolean().default(true),
    source_private: z.boolean().default(true),
    /** The customer's own field that the value comes from, so that its next edit can be followed. The service never learns it. */
    source_field: Slug.optional(),
  })
  .refine(({ value, source_private }) => !source_private || isSealed(value), {
    ...fails('contact_data.encryption_required', WRAPPER_FORM),
    path: ['value'],
  });

/** The answers to a whole request. */
export const SharedValues = z.array(SharedValue).max(REQUEST_FIELDS);

const noService = fails('profile.company_code_requires_service');

/**
 * COMPANYCODE/SERVICECODE. A code without a service part is refused as such. A service part that no service can have is answered as a
 * service that does not exist. @gap D1-7
 */
export const ConnectCode = z
  .string(noService)
  .regex(/\/./s, noService)
  .regex(/^[A-Z0-9]{1,16}\/[A-Z0-9]{1,8}$/, fails('company_connections.service_not_found'));

/** The values with which somebody connects: to the service of a code, or to the one that asked. */
export const NewConnection = z.strictObject({ code: ConnectCode, values: SharedValues.default([]) });
export const AcceptedRequest = z.strictObject({ values: SharedValues.default([]) });

/** A connection as its customer sees it. @gap D1-5.8 */
export const CustomerConnection = named(
  'CustomerConnection',
  z.object({
    id: Id,
    service: ServiceCard.omit({ config_token: true, request_fields: true }),
    connected_at: Timestamp,
    values: z.array(
      z.object({
        slug: z.string(),
        live: z.boolean(),
        source_private: z.boolean(),
        source_field: z.string().nullable(),
        updated_at: Timestamp,
      }),
    ),
    /** Request rows that are neither answered nor declined. */
    open_requests: z.array(RequestField),
  }),
);

/** A changed answer of a live connection: a new value, a live mapping dropped, or a requested field declined. @spec D1-6.1 @gap D1-4.7 */
export const ConnectionChange = z.strictObject({
  values: SharedValues.default([]),
  drop: z.array(Slug).max(REQUEST_FIELDS).default([]),
  decline: z.array(Slug).max(REQUEST_FIELDS).default([]),
});

/** @spec D1-4.2 @gap D1-4.7 */
export const ConnectRequest = named(
  'ConnectRequest',
  z.object({
    request_id: Id,
    service: ServiceCard,
    message: z.string().nullable(),
    asked_at: Timestamp,
  }),
);
