import type { FieldTypeRow } from '@codase/contracts';

/** A field type that an operator adds to those of the specification. */
export const IBAN: FieldTypeRow = {
  type: 'iban',
  parent: 'text',
  label: 'IBAN',
  input: null,
  lane: null,
  check: null,
  options: null,
  fields: null,
  validation: '[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}',
  is_system: false,
};
