import fc from 'fast-check';
import type { Definition } from '../definition/definition.ts';
import type { FindingKey } from '../definition/finding.ts';
import { constant, lit, nodeOf, ref, rental, rentalContext } from '../rental-flow.check.ts';
import { add, all, field, found, nothing, putElement, set, text, wire, type Change } from './findings.check.ts';
import { validateDefinition } from './validate-definition.ts';

const UNREADABLE = 'flows.definition_invalid';
const keys = (...changes: Change[]) => found(all(...changes)).map(({ key }) => key);
const onNode = (key: string, members: object) => (d: Definition) => void Object.assign(nodeOf(d, key), members);
const inDone = (change: (documents: { rules: object[] }[]) => void) => (d: Definition) => change(nodeOf(d, 'done').output!.documents);

/** Changes that make a definition unreadable in one place, and nowhere else. */
const UNREADABLES: [what: string, change: Change][] = [
  ['an output mode nobody knows', (d) => void Object.assign(d, { output_mode: 'paper' })],
  ['no entry', (d) => void Object.assign(d, { entry: undefined })],
  ['a member too many', (d) => void Object.assign(d, { colour: 'blue' })],
  ['a party without a label', (d) => void Object.assign(d.parties[1]!, { label: undefined })],
  ['a party of a type nobody knows', (d) => void Object.assign(d.parties[1]!, { type: 'robot' })],
  ['a party without a key', (d) => void Object.assign(d.parties[1]!, { key: 5 })],
  ['parties that are no list', (d) => void Object.assign(d, { parties: {} })],
  ['nodes that are no list', (d) => void Object.assign(d, { nodes: 'many' })],
  ['edges that are no list', (d) => void Object.assign(d, { edges: null })],
  ['a node without a title', onNode('tenant_data', { title: undefined })],
  ['a node without a key', onNode('tenant_data', { key: undefined })],
  ['a node whose key is no name', onNode('office_data', { key: 'the office' })],
  ['a node without a party', onNode('tenant_data', { party: undefined })],
  ['a node whose elements are no list', onNode('tenant_data', { elements: 5 })],
  ['an element that is no object', putElement('tenant_data', 'name' as never)],
  ['a field without a label', set('rent', { label: undefined })],
  ['a field without a slug', set('rent', { slug: undefined })],
  ['a field whose slug is no name', set('income', { slug: 'the income' })],
  ['a field without a type', set('rent', { type: undefined })],
  ['options that are no list', set('use', { options: 'flat' })],
  ['a plugin field without a plugin', (d) => void Object.assign(nodeOf(d, 'office_data').elements[1]!, { plugin: undefined })],
  ['a text without text', (d) => void Object.assign(nodeOf(d, 'tenant_data').elements[0]!, { text: undefined })],
  ['a condition that is none', set('income', { show_if: 'always' })],
  ['a default that is no expression', set('name', { default: { type: 'eval' } })],
  ['an edge without an end', (d) => void Object.assign(d.edges[0]!, { to: undefined })],
  ['an edge with a misspelt condition', (d) => void Object.assign(d.edges[1]!, { whne: {} })],
  ['a constant of a type nobody knows', (d) => void Object.assign(d.constants[0]!, { result_type: 'money' })],
  ['a constant without an expression', (d) => void Object.assign(d.constants[1]!, { expr: undefined })],
  ['a constant without a key', (d) => void Object.assign(d.constants[1]!, { key: undefined })],
  ['an output without a language party', (d) => void Object.assign(nodeOf(d, 'done').output!, { language_party: undefined })],
  ['an output without documents', (d) => void Object.assign(nodeOf(d, 'done').output!, { documents: undefined })],
  ['a document without a key', inDone((documents) => void Object.assign(documents[1]!, { output_key: undefined }))],
  ['a document without rules', inDone((documents) => void Object.assign(documents[1]!, { rules: undefined }))],
  ['a rule without languages', inDone((documents) => void Object.assign(documents[0]!.rules[0]!, { languages: undefined }))],
  ['a rule whose template is no text', inDone((documents) => void Object.assign(documents[0]!.rules[0]!, { asset_key: 5 }))],
];

/** Changes after which names and edges do not fit together. */
const SHAKEN: [what: string, change: Change][] = [
  ['an entry that is no node', (d) => void (d.entry = 'nowhere')],
  ['an edge to nowhere', (d) => void (d.edges[0]!.to = 'nowhere')],
  ['a circle', (d) => void d.edges.push({ from: 'office_data', to: 'tenant_data' })],
  ['a node of an unknown party', (d) => void (d.nodes[0]!.party = 'nobody')],
  ['two nodes of one key', (d) => void d.nodes.push({ key: 'offer', party: 'tenant', title: '', elements: [] })],
  ['two parties of one key', (d) => void d.parties.push({ key: 'tenant', label: 'Another' })],
  ['two elements of one slug', field('office_data', 'rent', 'text')],
];

describe('the findings of publishing @spec D2-7', () => {
  it.each(UNREADABLES)('contain only the unreadable part: %s', (_what, change) => {
    expect(keys(change)).toEqual([UNREADABLE]);
  });

  it.each([...UNREADABLES, ...SHAKEN])('still contain all other faults besides: %s', (_what, change) => {
    const others = [
      add(constant('Bad', 'number', lit('x')), constant('loop', 'number', ref('loop'))),
      field('offer', 'colour', 'gender', { default: lit('x') }),
      putElement('offer', { kind: 'video' } as never),
    ];
    const expected: FindingKey[] = [
      UNREADABLE,
      'element.kind_invalid',
      'constant.key_invalid',
      'constant.cycle',
      'constant.type_mismatch',
      'field.default_not_allowed',
    ];
    const reported = keys(...others, change);
    // When the nodes cannot be read, nothing is known of their elements.
    const hidden = Array.isArray(rental(change).nodes) ? [] : ['element.kind_invalid', 'field.default_not_allowed'];
    expect(reported.toSorted()).toEqual(expected.filter((key) => !hidden.includes(key)).toSorted());
  });

  it('contain unknown references besides an unreadable part', () => {
    const output_mode: Change = (d) => void Object.assign(d, { output_mode: 'paper' });
    expect(keys(output_mode, add(constant('c', 'text', ref('nothing'))), text('offer', '{{nobody}}'), wire({})).toSorted()).toEqual([
      'constant.ref_unknown',
      'flow_plugin.input_unwired',
      UNREADABLE,
      'text.unknown_tag',
    ]);
    expect(keys(output_mode, add(constant('c', 'number', lit(1), [])))).toEqual([UNREADABLE, 'constant.unused']);
  });

  it('contain faults of a field that is only partly readable', () => {
    const unreadable = set('rent', { label: 5, type: 'shoe_size' });
    expect(keys(unreadable)).toEqual([UNREADABLE, UNREADABLE]);
    expect(keys(set('keeps', { required: 'yes', default: lit('x') }))).toEqual([UNREADABLE, 'field.default_not_allowed']);
    expect(keys(set('keeps', { default: { type: 'eval' } }))).toEqual([UNREADABLE, 'field.default_not_allowed']);
  });

  it('never fail on an arbitrary replacement of any part', () => {
    const paths = Object.keys(flatten(rental()));
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const findings = validateDefinition(rental(at(path, value)), rentalContext());
        expect(findings.every(({ message }) => !/undefined|\[object/.test(message))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are empty for a valid definition', () => {
    expect(keys(nothing)).toEqual([]);
  });
});

const at =
  (path: string, value: unknown): Change =>
  (definition) => {
    const steps = path.split('.');
    const last = steps.pop()!;
    const target = steps.reduce<Record<string, unknown>>((object, step) => object[step] as Record<string, unknown>, definition as never);
    target[last] = value;
  };

/** Every part of a value, by its path. */
function flatten(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  const parts = Object.entries(value).map(([key, each]) => flatten(each, path ? `${path}.${key}` : key));
  return Object.assign(path ? { [path]: value } : {}, ...parts) as Record<string, unknown>;
}
