import { ORDER, stepOf } from '../turns/order-flow.check.ts';
import { compileTags, type SharedValue } from './compile-tags.ts';

const TEXT = { kind: 'text' as const, text: '{{buyer.name}} {{buyer.income}} {{guarantor.name}} {{guarantor.gone}} {{company.name}}' };
const parties = [
  { key: 'company', label: 'Acme', type: 'owner' as const },
  { key: 'buyer', label: 'Buyer', type: 'person' as const },
  { key: 'guarantor', label: 'Guarantor', type: 'person' as const },
];
const nodes = ORDER.nodes.map((node) => ({
  ...node,
  party: node.party === 'customer' ? 'buyer' : 'company',
  elements: [TEXT, ...node.elements],
}));
const { definition } = stepOf('ask', {}, { ...ORDER, parties, nodes }).flow;

describe('tag values of a run @spec D2-4.1', () => {
  const SHARED: Record<string, SharedValue> = {
    'buyer.name': { plaintext: 'Ana', is_private: false },
    'buyer.income': { plaintext: '5000', is_private: true },
    'guarantor.name': { plaintext: 'Ben', is_private: true },
  };
  const bindings = { company: 'usr_acme', buyer: 'usr_ana', guarantor: 'usr_ben' };
  const types = { name: 'text', income: 'number' };
  const compiled = compileTags(definition, { bindings, company_user_id: 'usr_acme', types }, (party, field) => SHARED[`${party}.${field}`]);
  const shown = { 'buyer.name': { v: 'Ana', t: 'text' } };
  const income = { 'buyer.income': { v: '5000', t: 'number' } };
  const guarantor = { 'guarantor.name': { v: 'Ben', t: 'text' } };

  it('are sent to every party, but private ones only to their own party and the company', () => {
    expect(Object.fromEntries(compiled)).toEqual({
      company: { public: shown, private: { ...income, ...guarantor } },
      usr_ana: { public: shown, private: income },
      usr_ben: { public: shown, private: guarantor },
    });
  });
});
