import { entry, row, type FieldTypeRow } from './row.ts';

/** Returns the row of a platform type. Its label is a translation key. @spec D1-2.5 */
const system = (type: string, parent: string | null, own: Partial<FieldTypeRow> = {}): FieldTypeRow =>
  row(type, parent, { label: `field_type.${type}`, is_system: true, ...own });

/** At least one character before the @, and a domain with a dot after it. Only a mail can show whether it exists. @gap D1-2.5 */
const EMAIL = '[^\\s@]+@[^\\s@.]+(?:\\.[^\\s@.]+)+';

/** @gap D1-2.5 */
const GENDERS = ['female', 'male', 'other'];

/** Street and house number share a line. The state is for addresses in the US. @gap D1-2.5 */
const ADDRESS = [
  entry('street', { required: true }),
  entry('postal_code'),
  entry('city', { required: true }),
  entry('state', { input: 'state' }),
  entry('country', { input: 'country', required: true }),
];

/** The security code is no entry: it may not be stored. @gap D1-2.5 */
const CREDIT_CARD = [
  entry('number', { required: true, check: 'card' }),
  entry('holder'),
  entry('expiry', { required: true, validation: '(?:0[1-9]|1[0-2])/[0-9]{2}' }),
];

/** IBAN and BIC for countries that use them, account number and bank code for others. @gap D1-2.5 */
const BANK = [
  entry('holder', { required: true }),
  entry('iban', { validation: '[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}' }),
  entry('bic', { validation: '[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?' }),
  entry('account_number', { validation: '[A-Z0-9]{1,34}' }),
  entry('bank_code', { validation: '[A-Z0-9]{1,34}' }),
];

/** The metadata of an ID document. Its parent `legal_document` has it too, so that its slot accepts one. @spec D1-2.8 @gap D1-2.5 */
const ID_DOCUMENT = [
  entry('document_number'),
  entry('expiry_date', { input: 'date' }),
  entry('issuing_country', { input: 'country' }),
  entry('holder_name'),
];

/** The platform's own types. The tree is the specification's. Columns that it does not show are decided here. @spec D1-2.5 @gap D1-2.5 */
export const SYSTEM_ROWS: readonly FieldTypeRow[] = [
  system('text', null, { input: 'line', lane: 'inline' }),
  system('email', 'text', { validation: EMAIL }),
  system('phone', 'text', { input: 'phone' }),
  system('url', 'text', { check: 'url' }),
  system('gender', 'text', { input: 'list', options: GENDERS }),
  system('country', 'text', { input: 'country' }),
  system('nationality', 'text', { input: 'nationality' }),
  system('personal_number', 'text'),
  system('place_of_birth', 'text'),
  system('date', 'text', { input: 'date' }),
  system('date_of_birth', 'date'),

  system('number', null, { input: 'line', lane: 'inline', check: 'number' }),
  system('integer', 'number', { check: 'integer' }),
  system('decimal', 'number', { check: 'decimal' }),
  system('float', 'number', { check: 'float' }),

  system('document', null, { input: 'file', lane: 'document' }),
  system('pdf_document', 'document', { check: 'pdf' }),

  system('legal_document', null, { input: 'pages', lane: 'document', fields: ID_DOCUMENT }),
  system('proof_of_identity', 'legal_document'),
  system('passport', 'proof_of_identity'),
  system('photo_id', 'proof_of_identity'),
  system('drivers_license', 'proof_of_identity'),
  system('residence_permit', 'proof_of_identity'),

  system('address', null, { input: 'composite', lane: 'inline', fields: ADDRESS }),
  system('creditcard', null, { input: 'composite', lane: 'inline', fields: CREDIT_CARD }),
  system('bank', null, { input: 'composite', lane: 'inline', fields: BANK }),
  system('photo', null, { input: 'file', lane: 'photo' }),
  system('select', null, { input: 'list', lane: 'inline' }),
  system('multiselect', null, { input: 'multilist', lane: 'inline' }),
];
