import { elementOf, FIELD_TYPES, rental, REGISTER } from '../rental-flow.check.ts';
import { writePluginAnswer } from '../plugins/plugin-answer.ts';
import { answerFault } from './check-answer.ts';

const definition = rental();
const fault = (slug: string, value: unknown) => answerFault(elementOf(definition, slug, 'field'), value, FIELD_TYPES);

describe('validation of an answer @spec D2-4.2', () => {
  it.each<[string, unknown]>([
    ['name', 'Ada'],
    ['rent', '12.50'],
    ['born', '1990-01-01'],
    ['use', 'flat'],
    ['keeps', ['cat', 'dog']],
    ['home', { street: 'Ring 1', city: 'Graz', country: 'AT' }],
    ['reference', { _enc_file: 'f1' }],
    ['reference', { _enc_file: 'f1', _link: 1 }],
    ['id_card', { _enc_file: 'f2', _link: 1 }],
    ['name', ''],
    ['name', null],
    ['keeps', []],
    ['reference', {}],
    // as texts, which is how answers travel
    ['keeps', '["cat","dog"]'],
    ['keeps', '[]'],
    ['keeps', 'null'],
    ['home', '{"street":"Ring 1","city":"Graz","country":"AT"}'],
    ['reference', '{"_enc_file":"f1"}'],
    ['reference', '{"_enc_file":"f1","_link":1}'],
    ['name', '["not read"]'],
  ])('accepts for %s the answer %j', (slug, value) => {
    expect(fault(slug, value)).toBeNull();
  });

  it.each<[string, unknown, RegExp]>([
    ['rent', '12.505', /^rent must be a number/],
    ['born', '1990-02-30', /^born must be a calendar date/],
    ['use', 'castle', /^use must be one of the options/],
    ['keeps', 'cat', /^keeps must be an array/],
    ['keeps', ['cat', 'wolf'], /options/],
    ['keeps', ['cat', 'cat'], /twice/],
    ['keeps', '["cat","wolf"]', /options/],
    ['keeps', '"cat"', /^keeps must be an array/],
    ['home', '{"street":"Ring 1","city":"Graz","country":"Austria"}', /^home country must be an assigned/],
    ['reference', '{"_enc_file":""}', /_enc_file/],
    ['home', { street: 'Ring 1', city: 'Graz', country: 'Austria' }, /^home country must be an assigned/],
    ['reference', 'f1', /_enc_file/],
    ['reference', { _enc_file: '' }, /_enc_file/],
    ['reference', { _enc_file: 5 }, /_enc_file/],
    ['reference', { _enc_file: 'f1', _link: true }, /_enc_file/],
    ['reference', { _enc_file: 'f1', _link: undefined }, /_enc_file/],
    ['reference', { _enc_file: 'f1', name: 'x' }, /_enc_file/],
    ['reference', ['f1'], /_enc_file/],
  ])('rejects for %s the answer %j', (slug, value, reason) => {
    expect(fault(slug, value)).toMatch(reason);
  });

  it("accepts the value of a descendant of the field's type", () => {
    const parent = { ...elementOf(definition, 'born', 'field'), type: 'text' };
    expect(answerFault(parent, '1990-01-01', FIELD_TYPES)).toBeNull();
  });

  it('accepts any value for an unregistered type @spec D1-2.5', () => {
    expect(answerFault({ ...elementOf(definition, 'born', 'field'), type: 'shoe_size' }, { any: 'thing' }, FIELD_TYPES)).toBeNull();
  });

  it('accepts a plugin answer only for the plugin field that it was made for', () => {
    const firm = elementOf(definition, 'firm', 'plugin');
    const answer = writePluginAnswer(firm.plugin, { picks: { company: { id: '1', label: 'Acme' } }, values: {}, outputs: {} });
    expect(answerFault(firm, answer, FIELD_TYPES)).toBeNull();
    expect(answerFault(firm, 'Acme', FIELD_TYPES)).toMatch(/no plugin answer/);
    const other = { ...firm, plugin: { ...firm.plugin, snapshot: { ...REGISTER, plugin_name: 'Other' } } };
    expect(answerFault(other, answer, FIELD_TYPES)).toMatch(/was made by/);
  });

  it('rejects any answer to a text or an image', () => {
    expect(answerFault({ kind: 'text', text: 'x' }, 'x', FIELD_TYPES)).toMatch(/takes no answer/);
    expect(answerFault({ kind: 'image', asset_key: 'x' }, null, FIELD_TYPES)).toMatch(/takes no answer/);
  });
});
