import { writePluginAnswer } from '../plugins/plugin-answer.ts';
import { elementOf, lit, nodeOf, ref, rentalFlow } from '../rental-flow.check.ts';
import { leafKind } from './next-node.ts';
import { prepareTurn, type TurnState } from './prepare-turn.ts';

const flow = rentalFlow();
const BEFORE = { use: 'flat', rent: '800', starts: '2026-04-01' };
const prepare = (state: Partial<TurnState>, of = flow) =>
  prepareTurn(of, { node: 'tenant_data', answers: BEFORE, drafts: {}, reference_date: '2026-03-01', private_slugs: [], ...state });
const typed = (values: Record<string, unknown>) => Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, { value }]));
const ADA = typed({ name: 'Ada', born: '1990-01-01' });
const answer = (slug: string, plaintext: string, members: object = {}) => ({
  slug,
  plaintext,
  is_file: false,
  source_private: false,
  ...members,
});

describe('the turn that a step submits @spec D2-4.2', () => {
  it('contains the drafts as texts and the next node', () => {
    const drafts = {
      ...ADA,
      ...typed({ keeps: ['cat'], home: { street: 'Ring 1', city: 'Graz', country: 'AT' }, reference: { _enc_file: 'f1' } }),
    };
    expect(prepare({ drafts })).toEqual({
      ready: true,
      answers: [
        answer('name', 'Ada'),
        answer('born', '1990-01-01'),
        answer('keeps', '["cat"]'),
        answer('home', '{"street":"Ring 1","city":"Graz","country":"AT"}'),
        answer('reference', '{"_enc_file":"f1"}', { is_file: true }),
      ],
      onward: { next_node: 'done' },
      signal: 'next node',
    });
  });

  it('contains the defaults that a form shows @spec D2-7', () => {
    const drafts = typed({ use: 'flat', rent: '800' });
    expect(prepare({ node: 'offer', answers: {}, drafts })).toMatchObject({
      answers: [answer('use', 'flat'), answer('rent', '800'), answer('starts', '2026-03-01')],
    });
    const own = { ...drafts, ...typed({ starts: '2026-05-01' }) };
    expect(prepare({ node: 'offer', answers: {}, drafts: own })).toMatchObject({ answers: [{}, {}, answer('starts', '2026-05-01')] });
    expect(prepare({ node: 'offer', answers: { starts: '2026-06-01' }, drafts })).toMatchObject({
      answers: [answer('use', 'flat'), answer('rent', '800')],
    });
  });

  it('uses the answers of the same step to choose the next node', () => {
    expect(prepare({ answers: { ...BEFORE, use: 'office' }, drafts: ADA })).toMatchObject({ onward: { next_node: 'office_data' } });
    expect(prepare({ drafts: typed({ name: 'Kid', born: '2020-01-01' }) })).toMatchObject({ ready: false, stuck: true, unanswered: [] });
  });

  it('states whether it ends at a document leaf or a data leaf @spec D2-3', () => {
    expect(prepare({ node: 'done' })).toEqual({ ready: true, answers: [], onward: { leaf: true }, signal: 'document leaf' });
    const data = rentalFlow((d) => void (d.output_mode = 'data_only'));
    expect(prepare({ node: 'done' }, data)).toMatchObject({ onward: { leaf: true }, signal: 'data leaf' });
    expect([leafKind(flow, 'done'), leafKind(data, 'done'), leafKind(flow, 'offer')]).toEqual(['document leaf', 'data leaf', null]);
  });

  it('omits answers saved before, and contains an empty one for each that was removed', () => {
    const answers = { ...BEFORE, name: 'Ada', born: '1990-01-01', keeps: '["cat"]' };
    expect(prepare({ answers })).toMatchObject({ ready: true, answers: [] });
    expect(prepare({ answers, drafts: typed({ keeps: [], home: {}, name: 'Eve' }) })).toMatchObject({
      answers: [answer('name', 'Eve'), answer('keeps', '')],
    });
    expect(prepare({ answers, drafts: typed({ name: '' }) })).toMatchObject({ ready: false, unanswered: ['name'] });
  });

  it('omits a hidden question even when it has a draft', () => {
    const drafts = { ...ADA, ...typed({ income: 'much' }) };
    expect(prepare({ drafts })).toMatchObject({ ready: true, answers: [{ slug: 'name' }, { slug: 'born' }] });
    expect(prepare({ answers: { ...BEFORE, rent: '1200' }, drafts })).toMatchObject({ ready: false, invalid: [{ slug: 'income' }] });
  });

  it('marks answers from a private source except plugin answers @spec D2-2.3', () => {
    const derived = rentalFlow((d) => void (elementOf(d, 'name', 'field').default = ref('use')));
    expect(prepare({ drafts: ADA, private_slugs: ['use'], from_private: new Set(['born']) }, derived)).toMatchObject({
      answers: [
        { slug: 'name', source_private: true },
        { slug: 'born', source_private: true },
      ],
    });
    const { plugin } = elementOf(flow.definition, 'firm', 'plugin');
    const firm = writePluginAnswer(plugin, { picks: { company: { id: '7', label: 'Acme' } }, values: {}, outputs: {} });
    expect(prepare({ node: 'office_data', drafts: typed({ firm }), private_slugs: ['firm', 'born'] })).toMatchObject({
      answers: [answer('firm', firm)],
    });
  });

  it('is refused with all reasons why the step cannot continue @spec D2-7', () => {
    const bounded = rentalFlow((d) => void (elementOf(d, 'born', 'field').min = lit('1920-01-01', 'date')));
    const drafts = typed({ born: '1900-01-01', keeps: ['wolf'], id_card: { _enc_file: 'f2' } });
    expect(prepare({ drafts }, bounded)).toEqual({
      ready: false,
      unanswered: ['name'],
      invalid: [
        { slug: 'keeps', fault: expect.stringMatching(/options/) },
        { slug: 'id_card', fault: 'id_card must be linked from the profile, not typed' },
      ],
      out_of_bounds: [{ slug: 'born', bound: 'min', limit: '1920-01-01' }],
      stuck: false,
    });
    expect(prepare({ drafts: { ...ADA, id_card: { value: { _enc_file: 'f2', _link: 1 }, linked: true } } })).toMatchObject({ ready: true });
  });

  it('cannot be prepared for an unknown node', () => {
    expect(() => prepare({ node: 'nowhere' })).toThrow(/no node nowhere/);
    expect(nodeOf(flow.definition, 'done').key).toBe('done');
  });
});
