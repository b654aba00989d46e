import fc from 'fast-check';
import { elementOf, rentalFlow } from '../rental-flow.check.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';
import { answerText, keyTextOf, plainText, UNANSWERED } from './render-text.ts';
import { customerTags, ownerTags, partyTag, tagsOf } from './tags.ts';

const flow = rentalFlow();
const acme = { picks: { company: { id: '7', label: 'Acme' } }, values: { year: 1999 }, outputs: { seat: 'Graz' } };
const answer = writePluginAnswer(elementOf(flow.definition, 'firm', 'plugin').plugin, acme);

describe('value tags of a text @spec D2-2.6', () => {
  it('are listed once each in the order of their first use', () => {
    expect(tagsOf('{{b}} [b]{{a}} [i]{{b}}{{c.d}}[/i][/b] \\{{e}} {{f}')).toEqual(['b', 'a', 'c.d']);
    expect(tagsOf('[a href=https://x/{{a}}]y[/a]')).toEqual([]);
  });

  it("refer to a party when they consist of the party's key and a field", () => {
    const { parties } = flow.definition;
    expect(partyTag(parties, 'tenant.first_name')).toEqual({ tag: 'tenant.first_name', party: 'tenant', field: 'first_name' });
    for (const key of ['tenant', 'tenant.a.b', 'firm.seat', 'rent']) expect(partyTag(parties, key)).toBeUndefined();
  });

  it('of a party are listed for compilation when a run starts @spec D2-4.1', () => {
    expect(ownerTags(flow.definition)).toEqual([{ tag: 'landlord.company_name', party: 'landlord', field: 'company_name' }]);
    expect(customerTags(flow.definition)).toEqual([{ tag: 'tenant.first_name', party: 'tenant', field: 'first_name' }]);
    const quiet = rentalFlow((d) => void d.nodes[1]!.elements.shift()).definition;
    expect([...ownerTags(quiet), ...customerTags(quiet)]).toEqual([]);
  });
});

describe('a rendered text @spec D2-2.6', () => {
  const values = flow.values({ rent: '800', keeps: '["cat","dog"]', firm: answer, name: '', reference: { _enc_file: 'f' } }, '2026-03-01');

  it('shows answers, constants and plugin keys, and a dash for a missing value', () => {
    const keyText = keyTextOf(flow, values);
    expect(plainText('[b]Rent[/b]: {{rent}}, deposit {{deposit}}, age {{age}}', keyText)).toBe('Rent: 800, deposit 2400, age —');
    expect(plainText('{{keeps}} {{firm.company}} {{firm.company.id}} {{firm.seat}}', keyText)).toBe('cat,dog Acme 7 Graz');
    expect(plainText('{{firm.listed}}', keyText)).toBe(UNANSWERED);
    expect(plainText('{{name}} {{reference}} {{nothing}}', keyText)).toBe('— — —');
  });

  it('shows a plugin answer by its picks and values', () => {
    expect(answerText(flow, 'firm', values)).toBe('Acme, 1999');
    expect(answerText(flow, 'firm', flow.values({ firm: 'not an answer' }, '2026-03-01'))).toBe('not an answer');
    expect(answerText(flow, 'name', flow.values({ name: answer }, '2026-03-01'))).toBe(answer);
  });

  it('reads the value of a party tag by its field type', () => {
    const home = { v: '{"street":"Ring 1","city":"Graz"}', t: 'address' };
    expect(plainText('{{tenant.first_name}}', keyTextOf(flow, values, { 'tenant.first_name': home }))).toBe('Ring 1,Graz');
    const odd = { v: '{"a":1}', t: 'shoe_size' };
    expect(plainText('{{tenant.first_name}}', keyTextOf(flow, values, { 'tenant.first_name': odd }))).toBe('{"a":1}');
  });

  it('shows only party tags that were compiled at the start of the run', () => {
    const text = '{{landlord.company_name}} and {{tenant.first_name}}';
    expect(plainText(text, keyTextOf(flow, { ...values, 'tenant.first_name': 'answered' }))).toBe('— and —');
    const compiled = { 'landlord.company_name': { v: 'Homes', t: 'text' }, 'tenant.first_name': { v: null, t: 'text' } };
    expect(plainText(text, keyTextOf(flow, values, compiled))).toBe('Homes and —');
    expect(plainText(text, keyTextOf(flow, values, Object.create(compiled) as typeof compiled))).toBe('— and —');
  });

  it('never interprets a value as markup', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (value) => {
        expect(plainText('x {{k}} [b]{{k}}[/b]', () => value)).toBe(`x ${value} ${value}`);
      }),
    );
    expect(plainText('{{k}}', () => '[b]{{rent}}<i>')).toBe('[b]{{rent}}<i>');
  });
});
