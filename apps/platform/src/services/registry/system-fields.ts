import type { registry, Output } from '@codase/contracts';

/** A field of the catalog: the platform's, or an owner's own. */
export type ContactField = Output<typeof registry.listContactFields>['items'][number];
type UserType = ContactField['usertype'];

/** A field of the platform. Its label is a translation key, as the labels of the types of the platform are. */
const system = (slug: string, type: string, usertype: UserType): ContactField => ({
  slug,
  label: `contact_field.${slug}`,
  type,
  usertype,
  options: null,
  is_system: true,
});

/** The fields that every user has: those of a person, those of a company, and those that both may fill. @gap D1-4.4 */
export const SYSTEM_FIELDS: readonly ContactField[] = [
  system('first_name', 'text', 'person'),
  system('last_name', 'text', 'person'),
  system('date_of_birth', 'date_of_birth', 'person'),
  system('place_of_birth', 'place_of_birth', 'person'),
  system('gender', 'gender', 'person'),
  system('nationality', 'nationality', 'person'),
  system('personal_number', 'personal_number', 'person'),
  system('passport', 'passport', 'person'),
  system('photo_id', 'photo_id', 'person'),
  system('drivers_license', 'drivers_license', 'person'),
  system('residence_permit', 'residence_permit', 'person'),

  system('company_name', 'text', 'company'),
  system('registration_number', 'text', 'company'),
  system('vat_number', 'text', 'company'),
  system('contact_person', 'text', 'company'),
  system('invoice_email', 'email', 'company'),
  system('trade_register_extract', 'pdf_document', 'company'),

  system('email', 'email', 'any'),
  system('phone', 'phone', 'any'),
  system('address', 'address', 'any'),
  system('country', 'country', 'any'),
  system('website', 'url', 'any'),
  system('photo', 'photo', 'any'),
  system('bank', 'bank', 'any'),
  system('creditcard', 'creditcard', 'any'),
];

const SYSTEM_SLUGS = new Set(SYSTEM_FIELDS.map(({ slug }) => slug));

export const isSystemSlug = (slug: string): boolean => SYSTEM_SLUGS.has(slug);

/** Whether a profile of that type may fill a field. With `any`: whether both types may fill it. @spec D1-2.5 @gap D1-2.5 */
export const fillableBy =
  (usertype: UserType) =>
  (field: ContactField): boolean =>
    field.usertype === 'any' || field.usertype === usertype;
