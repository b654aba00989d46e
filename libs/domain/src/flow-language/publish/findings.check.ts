// Shared by the tests of publishing: changes to the lease, and tables of the findings that each change raises.
import type { Condition, Constant, Definition, Element, FieldElement, Rule } from '../definition/definition.ts';
import { FINDINGS, type Finding, type FindingKey, type Where } from '../definition/finding.ts';
import { elementOf, rental, rentalContext, nodeOf } from '../rental-flow.check.ts';
import type { PublishInputs } from './check-context.ts';
import { validateDefinition } from './validate-definition.ts';

export type Change = (definition: Definition) => void;

export const found = (change: Change, context?: Partial<PublishInputs>): Finding[] =>
  validateDefinition(rental(change), rentalContext(context));

export const nothing: Change = () => {};
export const all =
  (...changes: Change[]): Change =>
  (d) =>
    changes.forEach((change) => change(d));
export const add =
  (...constants: Constant[]): Change =>
  (d) =>
    void d.constants.push(...constants);
export const set =
  (slug: string, members: object): Change =>
  (d) =>
    void Object.assign(elementOf(d, slug, 'field'), members);
export const putElement =
  (node: string, element: Element): Change =>
  (d) =>
    void nodeOf(d, node).elements.push(element);
export const text = (node: string, words: string): Change => putElement(node, { kind: 'text', text: words });
export const field = (node: string, slug: string, type: string, members: Partial<FieldElement> = {}): Change =>
  putElement(node, { kind: 'field', slug, label: '', type, required: false, ...members });
export const move =
  (slug: string, node: string): Change =>
  (d) => {
    const found = d.nodes.flatMap(({ elements }) => elements).find((element) => 'slug' in element && element.slug === slug)!;
    for (const { elements } of d.nodes) if (elements.includes(found)) elements.splice(elements.indexOf(found), 1);
    nodeOf(d, node).elements.push(found);
  };
export const wire =
  (inputs: Record<string, string>): Change =>
  (d) =>
    void (elementOf(d, 'firm', 'plugin').plugin.inputs = inputs);
export const when =
  (edge: number, condition: Condition): Change =>
  (d) =>
    void (d.edges[edge]!.when = condition);
/** Changes the annex's first rule, which takes its PDF from a field. */
export const rule =
  (members: Partial<Rule>): Change =>
  (d) =>
    void Object.assign(nodeOf(d, 'done').output!.documents[1]!.rules[0]!, members);
export const fromConnection = (party: string, request_slug: string): Change =>
  rule({ source_field: undefined, source_connection: { party, request_slug } });
/** Adds another leaf after a node, with one document. */
export const leaf =
  (key: string, from: string | null, asset_key = 'lease_en'): Change =>
  (d) => {
    const document = { output_key: 'slip', name: 'Slip', rules: [{ asset_key, languages: 'all' as const }] };
    d.nodes.push({ key, party: 'tenant', title: '', elements: [], output: { language_party: 'tenant', documents: [document] } });
    if (from) d.edges.unshift({ from, to: key, when: { field: 'rent', op: 'gt', value: 1 } });
  };
/** Returns templates with these tags. The lease must use its deposit somewhere, so `lease_de` has that tag. */
export const templates = (tags: Record<string, string[]> = {}): Partial<PublishInputs> => ({
  templates: new Map(Object.entries({ lease_office: [], lease_de: ['deposit'], lease_en: [], ...tags })),
});

/** A description of a change, the change, and what is different in the company's account. */
export type Case = [what: string, change: Change, context?: Partial<PublishInputs>];

/** Each finding with changes that raise exactly this finding, and with similar changes that raise nothing. */
export type Table<K extends FindingKey> = Record<K, { raised: Case[]; quiet: Case[] }>;
/** The findings of one family. A table of a family must have all of them. */
export type Family<F extends string> = Extract<FindingKey, `${F}.${string}`>;

/** Returns the places and messages of the findings that a change raises. */
export const findingTexts = (change: Change, context?: Partial<PublishInputs>): [Where, string][] =>
  found(change, context).map(({ where, message }) => [where, message]);

export function checkTable<K extends FindingKey>(table: Table<K>): void {
  const rows = Object.entries<Table<K>[K]>(table);
  const cases = (which: 'raised' | 'quiet') =>
    rows.flatMap(([key, row]) => row[which].map(([what, change, context = {}]) => [key, what, change, context] as const));

  it.each(cases('raised'))('raises %s, and nothing else, for %s', (key, _what, change, context) => {
    const sentence = expect.stringMatching(/^\S.{20,}\S$/);
    expect(found(change, context)).toEqual([{ key, severity: FINDINGS[key as FindingKey], where: expect.any(Object), message: sentence }]);
  });
  it.each(cases('quiet'))('raises no %s for %s', (_key, _what, change, context) => {
    expect(found(change, context)).toEqual([]);
  });
}
