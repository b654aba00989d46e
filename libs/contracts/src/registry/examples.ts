import type { Examples } from '../core/example.ts';
import { page, PUBLIC_KEY } from '../core/samples.ts';

export const CONTACT_FIELD = {
  slug: 'home_address',
  label: 'Home address',
  type: 'address',
  usertype: 'any',
  options: null,
  is_system: true,
};

/** Examples, by the names of the endpoints. */
export const registryExamples: Examples = {
  list_field_types: {
    result: [
      {
        type: 'integer',
        parent: 'number',
        label: 'field_type.integer',
        input: null,
        lane: null,
        check: 'integer',
        options: null,
        fields: null,
        validation: null,
        is_system: true,
      },
    ],
  },
  list_contact_fields: { query: { usertype: 'person' }, result: page(CONTACT_FIELD) },
  put_contact_field: {
    body: { label: 'Shoe size', type: 'integer', usertype: 'person' },
    result: { ...CONTACT_FIELD, slug: 'shoe_size', label: 'Shoe size', type: 'integer', is_system: false },
  },
  read_public_key: { result: { share_code: 'K7M2QX', public_key: PUBLIC_KEY } },
};
