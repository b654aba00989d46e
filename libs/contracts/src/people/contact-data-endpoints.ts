import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { UPLOAD_BODY_BYTES, UPLOAD_CHARS } from '../core/limits.ts';
import { whole } from '../core/page.ts';
import { SLUG } from '../core/text.ts';
import { ContactValue, LiveCopies } from './shapes.ts';

const OWN = { tag: 'profile', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal', 'person'] } as const;
const ofSlug = z.object({
  slug: z.string().regex(SLUG, fails('contact_fields.not_found')).describe('The slug of a field, from the field catalog'),
});

export const listContactData = endpoint('list_contact_data', 'GET /api/contact-data', {
  ...OWN,
  summary: "The values of one's own profile",
  description: "All values of the caller's own profile. Private values are wrappers sealed to the caller.",
  result: whole(ContactValue),
});

/** A person's private value is sealed to the person. Its live copies are sent along, and all change together. @gap D1-5.8 */
export const putContactData = endpoint('put_contact_data', 'PUT /api/contact-data/{slug}', {
  ...OWN,
  summary: "Set a value of one's own profile, and the copies services hold of it",
  description:
    'Sets one value of the profile. A private value is sealed to yourself, and for each service with a live copy a new copy is ' +
    'sent along in `copies`, sealed to that service: all change together or none does. A copy for a connection you do not have ' +
    'refuses the call: read the connections again.',
  act: 'slug',
  digested: ['value', 'copies'],
  params: ofSlug,
  body: z.strictObject({
    value: z.string().max(UPLOAD_CHARS, fails('documents.too_large')),
    is_private: z.boolean().default(false),
    copies: LiveCopies.default([]),
  }),
  largest: 2 * UPLOAD_BODY_BYTES,
  result: ContactValue,
  refusals: [
    'request.invalid',
    'contact_fields.not_found',
    'contact_data.value_invalid',
    'contact_data.encryption_required',
    'company_data.connection_not_found',
    'documents.too_large',
  ],
});

export const deleteContactData = endpoint('delete_contact_data', 'DELETE /api/contact-data/{slug}', {
  ...OWN,
  summary: "Delete a value of one's own profile; live copies of it end",
  description: 'Deletes a value. Services with a live copy of it get `field_deleted`.',
  act: 'slug',
  params: ofSlug,
  refusals: ['contact_fields.not_found'],
});
