import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { fillableBy, isSystemSlug, SYSTEM_FIELDS } from './system-fields.ts';

describe('system fields @spec D1-2.5', () => {
  it('have unique slugs and types that a request may name', () => {
    const types = fieldTypes(SYSTEM_ROWS);

    expect(new Set(SYSTEM_FIELDS.map(({ slug }) => slug)).size).toBe(SYSTEM_FIELDS.length);
    expect(SYSTEM_FIELDS.filter(({ type }) => !types.isRequestable(type))).toEqual([]);
    expect(isSystemSlug('email')).toBe(true);
    expect(isSystemSlug('shoe_size')).toBe(false);
  });

  it.each([
    ['person', { passport: true, vat_number: false, email: true }],
    ['company', { passport: false, vat_number: true, email: true }],
    ['any', { passport: false, vat_number: false, email: true }],
  ] as const)('are filtered to those that usertype %s may fill', (usertype, expected) => {
    const fillable = SYSTEM_FIELDS.filter(fillableBy(usertype)).map(({ slug }) => slug);

    for (const [slug, isFillable] of Object.entries(expected)) expect([slug, fillable.includes(slug)]).toEqual([slug, isFillable]);
  });
});
