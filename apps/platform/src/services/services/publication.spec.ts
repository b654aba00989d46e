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

describe('new publication of request fields @spec D1-2.6 @gap D1-2.6', () => {
  const before = [standing('mail'), standing('born')];

  it('keeps the id of a field with the same slug and type when other members change', () => {
    const after = [row('born', { one_time: true }), row('mail', { audience: 'person' }), row('phone')];

    expect(withIds(before, after, () => 'slot_new').map(({ service_field_id }) => service_field_id)).toEqual([
      'slot_born',
      'slot_mail',
      'slot_new',
    ]);
  });

  it('gives a field a new id and withdraws the old one when its type changes', () => {
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
  ])('reports whether it requests more of persons or companies: %s', (_, after, ofPersons, ofCompanies) => {
    expect([asksMoreOf('person', before, after), asksMoreOf('company', before, after)]).toEqual([ofPersons, ofCompanies]);
  });

  it("requests more of customers who join a field's audience", () => {
    expect(asksMoreOf('company', [standing('mail', { audience: 'person' })], [row('mail')])).toBe(true);
  });

  it.each<[string, RequestRow['audience'], RequestRow['audience'], unknown[]]>([
    ['persons of both', 'both', 'person', [{ service_field_id: 'slot_mail', customers: 'company' }]],
    ['companies of both', 'both', 'company', [{ service_field_id: 'slot_mail', customers: 'person' }]],
    ['companies after persons', 'person', 'company', [{ service_field_id: 'slot_mail', customers: 'person' }]],
    ['everybody after persons', 'person', 'both', []],
    ['those it asked', 'company', 'company', []],
  ])('withdraws the field from customers who leave its audience: %s', (_, was, is, withdrawn) => {
    expect(withdrawnBy([standing('mail', { audience: was })], [row('mail', { audience: is })])).toEqual(withdrawn);
  });

  it('withdraws a field that is left out', () => {
    expect(withdrawnBy(before, [row('mail')])).toEqual([{ service_field_id: 'slot_born', customers: 'both' }]);
  });

  it('stops following a live field that becomes one-time', () => {
    expect(onceFromNow(before, [row('mail', { one_time: true }), row('born', { one_time: true, type: 'date' })])).toEqual(['slot_mail']);
    expect(onceFromNow([standing('mail', { one_time: true })], [row('mail', { one_time: true })])).toEqual([]);
    expect(onceFromNow([standing('mail', { one_time: true })], [row('mail')])).toEqual([]);
  });
});
