import { asksMoreOf, onceFromNow, withdrawnBy, withIds, type RequestRow, type StandingRow } from './publication.ts';

const row = (slug: string, more: Partial<RequestRow> = {}): RequestRow => ({
  slug,
  type: 'text',
  one_time: false,
  audience: 'both',
  plugin: null,
  ...more,
});
const standing = (slug: string, more: Partial<RequestRow> = {}): StandingRow => ({ ...row(slug, more), service_field_id: `slot_${slug}` });

describe('a request published anew @spec D1-2.6 @gap D1-2.6', () => {
  const before = [standing('mail'), standing('born')];

  it('keeps a row with its slug and type, whatever else it says', () => {
    const after = [row('born', { one_time: true }), row('mail', { audience: 'person' }), row('phone')];

    expect(withIds(before, after, () => 'slot_new').map(({ service_field_id }) => service_field_id)).toEqual([
      'slot_born',
      'slot_mail',
      'slot_new',
    ]);
  });

  it('asks another question under an old slug when the type is another', () => {
    const after = [row('mail', { type: 'email' }), row('born')];

    expect(withIds(before, after, () => 'slot_new')).toMatchObject([
      { slug: 'mail', service_field_id: 'slot_new' },
      { service_field_id: 'slot_born' },
    ]);
    expect(withdrawnBy(before, after)).toEqual([{ service_field_id: 'slot_mail', customers: 'both' }]);
  });

  it.each<[string, readonly RequestRow[], boolean, boolean]>([
    ['the same', [row('mail'), row('born', { one_time: true })], false, false],
    ['less', [row('mail', { audience: 'person' })], false, false],
    ['a row more, of persons', [...before, row('phone', { audience: 'person' })], true, false],
    ['a row more, of companies', [...before, row('vat', { audience: 'company' })], false, true],
    ['another type', [row('mail', { type: 'email' })], true, true],
  ])('asks more or not: %s', (_, after, ofPersons, ofCompanies) => {
    expect([asksMoreOf('person', before, after), asksMoreOf('company', before, after)]).toEqual([ofPersons, ofCompanies]);
  });

  it('asks more of those whom a row did not ask before', () => {
    expect(asksMoreOf('company', [standing('mail', { audience: 'person' })], [row('mail')])).toBe(true);
  });

  it.each<[string, RequestRow['audience'], RequestRow['audience'], unknown[]]>([
    ['persons of both', 'both', 'person', [{ service_field_id: 'slot_mail', customers: 'company' }]],
    ['companies of both', 'both', 'company', [{ service_field_id: 'slot_mail', customers: 'person' }]],
    ['companies after persons', 'person', 'company', [{ service_field_id: 'slot_mail', customers: 'person' }]],
    ['everybody after persons', 'person', 'both', []],
    ['those it asked', 'company', 'company', []],
  ])('asks %s, and of the others no more', (_, was, is, withdrawn) => {
    expect(withdrawnBy([standing('mail', { audience: was })], [row('mail', { audience: is })])).toEqual(withdrawn);
  });

  it('withdraws a row that is left out', () => {
    expect(withdrawnBy(before, [row('mail')])).toEqual([{ service_field_id: 'slot_born', customers: 'both' }]);
  });

  it('follows no more what it asks once', () => {
    expect(onceFromNow(before, [row('mail', { one_time: true }), row('born', { one_time: true, type: 'date' })])).toEqual(['slot_mail']);
    expect(onceFromNow([standing('mail', { one_time: true })], [row('mail', { one_time: true })])).toEqual([]);
    expect(onceFromNow([standing('mail', { one_time: true })], [row('mail')])).toEqual([]);
  });
});
