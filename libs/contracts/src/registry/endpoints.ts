import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { whole } from '../core/page.ts';
import { PublicKey } from '../core/sealed.ts';
import { SLUG } from '../core/text.ts';
import { ContactField, FieldTypeRow, NewContactField, UserType } from './shapes.ts';

const ROUTE = { tag: 'registry', at: ['region'] } as const;
const EVERYBODY = ['service', 'account', 'portal', 'person'] as const;
const OWNERS = ['account', 'portal', 'person'] as const;

/** A plain array of raw rows. @spec D1-4.4 */
export const listFieldTypes = endpoint('list_field_types', 'GET /api/contact-field-types', {
  ...ROUTE,
  spec: 'D1-4.4',
  summary: 'The field-type registry: read it rather than assume it',
  description:
    'The registry of types: how a value of each type looks and is checked. It grows, so read it instead of building the list into ' +
    'a program; a child has what it leaves null from its parent, and all patterns along the way apply. Operators can add types.',
  callers: EVERYBODY,
  result: z.array(FieldTypeRow),
});

export const listContactFields = endpoint('list_contact_fields', 'GET /api/contact-fields', {
  ...ROUTE,
  spec: 'D1-4.4',
  summary: "The field catalog: the platform's fields and the caller's own",
  description: 'The fields that a profile can have: those of the platform and those the caller made.',
  callers: EVERYBODY,
  query: z.strictObject({ usertype: UserType.optional().describe('Only fields that such an account may fill; left out, all of them') }),
  result: whole(ContactField),
  refusals: ['request.invalid'],
});

const ofField = z.object({
  slug: z.string().regex(SLUG, fails('contact_fields.not_found')).describe('A slug of your choice, or that of a field of yours'),
});

export const putContactField = endpoint('put_contact_field', 'PUT /api/contact-fields/{slug}', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: "Create or change a field of one's own",
  description: 'Makes a field of your own, or changes it. The type of a field stays what it was: make another field instead.',
  callers: OWNERS,
  params: ofField,
  body: NewContactField,
  result: ContactField,
  refusals: ['request.invalid', 'contact_fields.not_found', 'contact_fields.type_changed'],
});

export const deleteContactField = endpoint('delete_contact_field', 'DELETE /api/contact-fields/{slug}', {
  ...ROUTE,
  spec: 'D1-5.8',
  summary: "Delete a field of one's own, with its value",
  description: 'Deletes a field of your own together with its value. Services that had a live copy of it get `field_deleted`.',
  act: 'slug',
  callers: OWNERS,
  params: ofField,
  refusals: ['contact_fields.not_found'],
});

export const readPublicKey = endpoint('read_public_key', 'GET /api/keys/{shareCode}', {
  ...ROUTE,
  spec: 'D1-4.4',
  summary: 'The public key of a customer, to seal to them',
  description:
    'The key to seal values, messages and documents to, by share code; of a company as a customer it is the key of its account. ' +
    'Keys are not replaced, so the answer may be kept.',
  callers: EVERYBODY,
  params: z.object({
    shareCode: z
      .string()
      .regex(/^[A-Z0-9]{1,16}$/, fails('keys.not_found'))
      .describe('The share code of a person or company, in capitals'),
  }),
  result: z.object({ share_code: z.string(), public_key: PublicKey }),
  refusals: ['keys.not_found'],
});
