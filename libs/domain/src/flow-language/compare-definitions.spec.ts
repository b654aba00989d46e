import { compareDefinitions } from './compare-definitions.ts';
import type { Definition } from './definition/definition.ts';

const DEFINITION: Definition = {
  entry: 'ask',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'ask',
      party: 'customer',
      title: 'Your order',
      elements: [
        { kind: 'text', text: 'Hello' },
        { kind: 'field', slug: 'quantity', label: 'Quantity', type: 'integer', required: true },
        { kind: 'text', text: 'Bye' },
      ],
    },
    {
      key: 'sign',
      party: 'company',
      title: 'Check',
      elements: [],
      output: {
        language_party: 'customer',
        documents: [{ output_key: 'contract', name: 'Contract', rules: [{ asset_key: 'en', languages: 'all' }] }],
      },
    },
  ],
  edges: [
    { from: 'ask', to: 'sign', when: { field: 'quantity', op: 'gt', value: 5 } },
    { from: 'ask', to: 'sign' },
  ],
  constants: [{ key: 'due', result_type: 'date', expr: { type: 'today' }, shown_on: [] }],
};

const [ask, sign] = DEFINITION.nodes as [Definition['nodes'][number], Definition['nodes'][number]];
const [hello, quantity, bye] = ask.elements as [object, object, object];
const changes = (change: Partial<Definition>) => compareDefinitions(DEFINITION, { ...DEFINITION, ...change });
const changed = (where: object, member: string, before: unknown, after: unknown) => ({ change: 'changed', where, member, before, after });

describe('the comparison of two flow versions @spec D2-9', () => {
  it('finds no difference between equal definitions', () => {
    expect(changes({})).toEqual([]);
    expect(compareDefinitions(DEFINITION, structuredClone(DEFINITION))).toEqual([]);
  });

  it.each([
    ['the flow', { output_mode: 'data_only' as const }, [changed({}, 'output_mode', 'document', 'data_only')]],
    [
      'a party',
      { parties: [DEFINITION.parties[0]!, { key: 'customer', label: 'Buyer' }] },
      [changed({ party: 'customer' }, 'label', 'Customer', 'Buyer'), changed({ party: 'customer' }, 'type', 'person', null)],
    ],
    ['a node', { nodes: [{ ...ask, title: 'Order' }, sign] }, [changed({ node: 'ask' }, 'title', 'Your order', 'Order')]],
    [
      'an element with a slug, wherever it stands now',
      { nodes: [{ ...ask, elements: [hello, bye, { ...quantity, required: false }] as never }, sign] },
      [changed({ node: 'ask', element: 'quantity' }, 'required', true, false)],
    ],
    [
      'a text by its place among texts',
      { nodes: [{ ...ask, elements: [hello, quantity, { kind: 'text', text: 'Ciao' }] as never }, sign] },
      [changed({ node: 'ask', index: 2 }, 'text', 'Bye', 'Ciao')],
    ],
    [
      'the second edge between two nodes',
      { edges: [DEFINITION.edges[0]!, { from: 'ask', to: 'sign', when: { and: [] } }] },
      [changed({ node: 'ask', edge: 1 }, 'when', null, { and: [] })],
    ],
    ['a constant', { constants: [{ ...DEFINITION.constants[0]!, label: 'Due' }] }, [changed({ constant: 'due' }, 'label', null, 'Due')]],
    [
      'a rule',
      {
        nodes: [
          ask,
          {
            ...sign,
            output: {
              ...sign.output!,
              documents: [{ output_key: 'contract', name: 'Lease', rules: [{ asset_key: 'de', languages: 'all' }] }],
            },
          },
        ] as never,
      },
      [
        changed({ node: 'sign', output: 'contract' }, 'name', 'Contract', 'Lease'),
        changed({ node: 'sign', output: 'contract', rule: 0 }, 'asset_key', 'en', 'de'),
      ],
    ],
  ])('finds a change of %s', (_, change, expected) => {
    expect(changes(change)).toEqual(expected);
  });

  it('finds added and removed parts', () => {
    const extra = { key: 'extra', party: 'company', title: 'Extra', elements: [] };
    const { elements, ...node } = extra;

    expect(changes({ nodes: [ask, extra, sign], constants: [] })).toEqual([
      changed({}, 'order', ['ask', 'sign'], ['ask', 'extra', 'sign']),
      { change: 'added', where: { node: 'extra' }, member: null, before: null, after: node },
      { change: 'removed', where: { constant: 'due' }, member: null, before: DEFINITION.constants[0], after: null },
    ]);
    expect(elements).toEqual([]);
  });
});
