import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { Nothing, whole } from '../core/page.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { PublicKey } from '../core/sealed.ts';
import { SLUG } from '../core/text.ts';
import { ContactField, FieldTypeRow, NewContactField, UserType } from './shapes.ts';

const ROUTE = { tag: 'registry', at: ['region'] } as const;
const EVERYBODY = ['service', 'account', 'portal', 'person'] as const;
const OWNERS = ['account', 'portal', 'person'] as const;

/** A bare array of raw rows. @spec D1-4.4 */
export const listFieldTypes = endpoint({
  ...ROUTE,
  name: 'list_field_types',
  method: 'GET',
  path: '/api/contact-field-types',
  spec: 'D1-4.4',
  summary: 'The field-type registry: read it rather than assume it',
  callers: EVERYBODY,
  status: 200,
  result: z.array(FieldTypeRow),
  refusals: AUTHENTICATED,
});

export const listContactFields = endpoint({
  ...ROUTE,
  name: 'list_contact_fields',
  method: 'GET',
  path: '/api/contact-fields',
  spec: 'D1-4.4',
  summary: "The field catalog: the platform's fields and the caller's own",
  callers: EVERYBODY,
  query: z.strictObject({ usertype: UserType.optional() }),
  status: 200,
  result: whole(ContactField),
  refusals: [...AUTHENTICATED, 'request.invalid'],
});

const ofField = z.object({ slug: z.string().regex(SLUG, fails('contact_fields.not_found')) });

export const putContactField = endpoint({
  ...ROUTE,
  name: 'put_contact_field',
  method: 'PUT',
  path: '/api/contact-fields/{slug}',
  spec: 'D1-5.8',
  summary: "Create or change a field of one's own",
  callers: OWNERS,
  params: ofField,
  body: NewContactField,
  status: 200,
  result: ContactField,
  refusals: [...WRITES, 'request.invalid', 'contact_fields.not_found', 'contact_fields.type_changed'],
});

export const deleteContactField = endpoint({
  ...ROUTE,
  name: 'delete_contact_field',
  method: 'DELETE',
  path: '/api/contact-fields/{slug}',
  spec: 'D1-5.8',
  summary: "Delete a field of one's own, with its value",
  callers: OWNERS,
  params: ofField,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'contact_fields.not_found'],
});

export const readPublicKey = endpoint({
  ...ROUTE,
  name: 'read_public_key',
  method: 'GET',
  path: '/api/keys/{shareCode}',
  spec: 'D1-4.4',
  summary: 'The public key of a person, to seal to them',
  callers: EVERYBODY,
  params: z.object({ shareCode: z.string().regex(/^[A-Z0-9]{1,16}$/, fails('keys.not_found')) }),
  status: 200,
  result: z.object({ share_code: z.string(), public_key: PublicKey }),
  refusals: [...AUTHENTICATED, 'keys.not_found'],
});
