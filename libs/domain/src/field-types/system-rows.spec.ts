import { fieldTypes } from './field-types.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

const TREE = {
  text: null,
  email: 'text',
  phone: 'text',
  url: 'text',
  gender: 'text',
  country: 'text',
  nationality: 'text',
  personal_number: 'text',
  place_of_birth: 'text',
  date: 'text',
  date_of_birth: 'date',
  number: null,
  integer: 'number',
  decimal: 'number',
  float: 'number',
  document: null,
  pdf_document: 'document',
  legal_document: null,
  proof_of_identity: 'legal_document',
  passport: 'proof_of_identity',
  photo_id: 'proof_of_identity',
  drivers_license: 'proof_of_identity',
  residence_permit: 'proof_of_identity',
  address: null,
  creditcard: null,
  bank: null,
  photo: null,
  select: null,
  multiselect: null,
};

/** Type, then what it resolves to: input, lane, check, options, fields (required ones with a star). */
const RESOLVED = `
  text line inline
  email line inline
  phone phone inline
  url line inline url
  gender list inline female|male|other
  country country inline
  nationality nationality inline
  personal_number line inline
  place_of_birth line inline
  date date inline
  date_of_birth date inline
  number line inline number
  integer line inline integer
  decimal line inline decimal
  float line inline float
  document file document
  pdf_document file document pdf
  legal_document pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  proof_of_identity pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  passport pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  photo_id pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  drivers_license pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  residence_permit pages document document_number:line,expiry_date:date,issuing_country:country,holder_name:line
  address composite inline street:line*,postal_code:line,city:line*,state:state,country:country*
  creditcard composite inline number:line*,holder:line,expiry:line*
  bank composite inline holder:line*,iban:line,bic:line,account_number:line,bank_code:line
  photo file photo
  select list inline
  multiselect multilist inline`;

describe('the system field types @spec D1-2.5', () => {
  const types = fieldTypes(SYSTEM_ROWS);

  it('form the tree of the specification', () => {
    expect(Object.fromEntries(SYSTEM_ROWS.map(({ type, parent }) => [type, parent]))).toEqual(TREE);
  });

  it('are marked as system types and labelled by a translation key', () => {
    expect(SYSTEM_ROWS.every(({ type, label, is_system }) => is_system && label === `field_type.${type}`)).toBe(true);
  });

  it('resolve to their expected inputs, lanes, checks, options and fields', () => {
    const lines = SYSTEM_ROWS.map(({ type }) => {
      const { input, lane, check, options, entries } = types.resolve(type)!;
      const fields = entries.map(({ key, required, shape }) => `${key}:${shape.input}${required ? '*' : ''}`);
      return [type, input, lane, check, options?.join('|'), fields.join(',')].filter(Boolean).join(' ');
    });
    expect(lines).toEqual(
      RESOLVED.trim()
        .split('\n')
        .map((line) => line.trim()),
    );
  });

  it('are binary where the specification says so @spec D1-2.8', () => {
    expect(SYSTEM_ROWS.map(({ type }) => type).filter(types.isBinary)).toEqual([
      'document',
      'pdf_document',
      'legal_document',
      'proof_of_identity',
      'passport',
      'photo_id',
      'drivers_license',
      'residence_permit',
      'photo',
    ]);
  });

  it('can all be requested except choices without options @spec D2-4.2', () => {
    expect(SYSTEM_ROWS.map(({ type }) => type).filter((type) => !types.isRequestable(type))).toEqual(['select', 'multiselect']);
  });
});
