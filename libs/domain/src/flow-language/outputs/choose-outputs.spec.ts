import { rentalFlow, nodeOf } from '../rental-flow.check.ts';
import { chooseOutputs } from './choose-outputs.ts';
import { templateText } from './template-text.ts';

const flow = rentalFlow();
const done = nodeOf(flow.definition, 'done');
const NOTHING = { values: flow.values({}, '2026-03-01'), language: 'en', available: new Set<string>() };
const choose = (answers: Record<string, unknown>, language: string | null = 'en', ...available: string[]) =>
  chooseOutputs(flow, done, { values: flow.values(answers, '2026-03-01'), language, available: new Set(available) });
const chosen = (...args: Parameters<typeof choose>) =>
  choose(...args).map(({ output_key, source }) => `${output_key}: ${source.kind === 'asset' ? source.asset_key : source.source_key}`);

describe('choosing the documents of a leaf @spec D2-4.3.2', () => {
  it('uses the first matching rule of each output', () => {
    expect(chosen({ use: 'office' }, 'de')).toEqual(['lease: lease_office']);
    expect(chosen({ use: 'flat' }, 'de')).toEqual(['lease: lease_de']);
    expect(chosen({ use: 'flat' }, 'de-AT')).toEqual(['lease: lease_de']);
  });

  it('matches languages by their exact code @gap D2-2.4', () => {
    expect(chosen({}, 'DE')).toEqual(['lease: lease_en']);
    expect(chosen({}, 'de-CH')).toEqual(['lease: lease_en']);
    expect(chosen({}, null)).toEqual(['lease: lease_en']);
  });

  it('skips a rule whose PDF the run does not have @spec D2-4.3.3', () => {
    expect(chosen({}, 'en', 'field:reference', 'conn:tenant:rules')).toEqual(['lease: lease_en', 'annex: field:reference']);
    expect(chosen({}, 'en', 'conn:tenant:rules')).toEqual(['lease: lease_en', 'annex: conn:tenant:rules']);
  });

  it('omits an output without a matching rule @spec D2-4.3.4', () => {
    expect(chosen({})).toEqual(['lease: lease_en']);
    expect(chooseOutputs(flow, nodeOf(flow.definition, 'offer'), NOTHING)).toEqual([]);
    const broken = rentalFlow((d) => void Object.assign(nodeOf(d, 'done').output!.documents[0]!, { rules: [{ languages: 'all' }] }));
    expect(chooseOutputs(broken, nodeOf(broken.definition, 'done'), NOTHING)).toEqual([]);
  });

  it('returns the index of the chosen rule', () => {
    const rules = (...args: Parameters<typeof choose>) => choose(...args).map(({ rule }) => rule);
    expect(rules({ use: 'office' }, 'de')).toEqual([0]);
    expect(rules({ use: 'flat' }, 'de')).toEqual([1]);
    expect(rules({ use: 'flat' }, 'en', 'conn:tenant:rules')).toEqual([2, 1]);
  });

  it('evaluates constants in the conditions of rules', () => {
    const priced = rentalFlow((d) => {
      nodeOf(d, 'done').output!.documents[0]!.rules[0]!.when = { field: 'deposit', op: 'gt', value: 3000 };
    });
    const sourceAt = (rent: string) => {
      const facts = { values: priced.values({ rent }, '2026-03-01'), language: 'en', available: new Set<string>() };
      return chooseOutputs(priced, nodeOf(priced.definition, 'done'), facts)[0]!.source;
    };
    expect(sourceAt('1001')).toMatchObject({ asset_key: 'lease_office' });
    expect(sourceAt('1000')).toMatchObject({ asset_key: 'lease_en' });
  });

  it('returns name and signers, where an empty list of signers counts as none @gap D2-2.4', () => {
    expect(choose({ use: 'office' })[0]).toMatchObject({ name: 'Lease', signers: null });
    expect(choose({})[0]!.signers).toEqual([
      { party: 'tenant', action: 'sign' },
      { party: 'landlord', action: 'sign' },
    ]);
    const empty = rentalFlow((d) => void (nodeOf(d, 'done').output!.documents[0]!.rules[2]!.signers = []));
    expect(chooseOutputs(empty, nodeOf(empty.definition, 'done'), NOTHING)[0]!.signers).toBeNull();
  });
});

describe('the values of template tags at a leaf @spec D2-4.3.6', () => {
  const values = flow.values({ rent: '800', name: 'Ada', keeps: ['cat', 'dog'] }, '2026-03-01');

  it('are printed for keys that can be answered before the leaf, and empty for all others', () => {
    const print = templateText(flow, 'done', { ...values, stray: 'x' });
    expect(['rent', 'deposit', 'name', 'keeps'].map(print)).toEqual(['800', '2400', 'Ada', 'cat,dog']);
    expect(['age', 'stray', 'nothing', 'tenant.first_name', 'toString'].map(print)).toEqual(['', '', '', '', '']);
  });

  it('are empty for answers that are given only later', () => {
    const print = templateText(flow, 'offer', values);
    expect(['rent', 'name'].map(print)).toEqual(['800', '']);
  });
});
