import type { FlowDefinition } from '@codase/contracts';
import fc from 'fast-check';

type Node = FlowDefinition['nodes'][number];
type Element = Node['elements'][number];

/** The plan that a flow is built from. Its numbers choose among the existing parties and nodes. */
interface Plan {
  customers: readonly ('person' | 'company')[];
  nodes: readonly { party: number; fields: readonly string[]; from: number }[];
  ways: readonly { from: number; to: number; isConditional: boolean }[];
  hasDocuments: boolean;
}

/** The field types of customers' questions. A file of the last type is the source of a contract. */
const TYPES = ['text', 'integer', 'email', 'document'];
const PDF = { kind: 'field', slug: 'paper', label: 'Paper', type: 'pdf_document', required: false } as const;

const PLAN: fc.Arbitrary<Plan> = fc.record({
  customers: fc.array(fc.constantFrom('person' as const, 'company' as const), { minLength: 1, maxLength: 3 }),
  nodes: fc.array(fc.record({ party: fc.nat(9), fields: fc.array(fc.constantFrom(...TYPES), { maxLength: 3 }), from: fc.nat(9) }), {
    minLength: 1,
    maxLength: 6,
  }),
  ways: fc.array(fc.record({ from: fc.nat(9), to: fc.nat(9), isConditional: fc.boolean() }), { maxLength: 5 }),
  hasDocuments: fc.nat(4).map((n) => n === 4),
});

/** A random flow that can be published: each node is reachable, there is no loop, and the leaves of a document flow have outputs. */
export const RANDOM_FLOW: fc.Arbitrary<FlowDefinition> = PLAN.map(build);

function build({ customers, nodes, ways, hasDocuments }: Plan): FlowDefinition {
  const parties: FlowDefinition['parties'] = [
    { key: 'company', label: 'Company', type: 'owner' },
    ...customers.map((type, nth) => ({ key: `customer_${nth + 1}`, label: `Customer ${nth + 1}`, type })),
  ];
  const edges = edgesOf(nodes, ways);
  const left = new Set(edges.map(({ from }) => from));
  const output: Pick<Node, 'output'> = {
    output: {
      language_party: 'company',
      documents: [{ output_key: 'contract', name: 'Contract', rules: [{ source_field: PDF.slug, languages: 'all' }] }],
    },
  };
  return {
    entry: keyOf(0),
    output_mode: hasDocuments ? 'document' : 'data_only',
    parties,
    nodes: nodes.map(({ party, fields }, nth) => ({
      key: keyOf(nth),
      party: parties[party % parties.length]!.key,
      title: `Step ${nth}`,
      elements: [...fields.map((type, field) => fieldOf(nth, field, type)), ...(hasDocuments && nth === 0 ? [PDF] : [])],
      ...(hasDocuments && !left.has(keyOf(nth)) && output),
    })),
    edges,
    constants: [],
  };
}

const keyOf = (nth: number) => `step_${nth}`;

const slugOf = (type: string, node: number, nth: number) => `${type}_${node}_${nth}`;

/** The request fields of the service: the text questions of two steps. A completed flow with data alone writes them too. */
export const REQUEST_ROWS = TYPES.filter((type) => type !== 'document').flatMap((type) =>
  [0, 1].flatMap((node) => [0, 1, 2].map((nth) => ({ slug: slugOf(type, node, nth), label: type, type }))),
);

const fieldOf = (node: number, nth: number, type: string): Element => ({
  kind: 'field',
  slug: slugOf(type, node, nth),
  label: `${type} ${nth}`,
  type,
  required: false,
});

function edgesOf(nodes: Plan['nodes'], ways: Plan['ways']): FlowDefinition['edges'] {
  const size = nodes.length;
  const first = nodes.slice(1).map(({ from }, nth) => ({ from: from % (nth + 1), to: nth + 1, isConditional: false }));
  const more = size < 2 ? [] : ways.map((way) => ({ ...way, from: way.from % (size - 1) }));
  const placed = more.map(({ from, to, isConditional }) => ({ from, to: from + 1 + (to % (size - 1 - from)), isConditional }));
  const all = [...placed, ...first];
  const distinct = all.filter(({ from, to }, nth) => all.findIndex((other) => other.from === from && other.to === to) === nth);
  return distinct.map(({ from, to, isConditional }) => {
    const number = nodes[from]!.fields.indexOf('integer');
    const when = isConditional && number >= 0 ? { when: { field: `integer_${from}_${number}`, op: 'gt' as const, value: 5 } } : {};
    return { from: keyOf(from), to: keyOf(to), ...when };
  });
}
