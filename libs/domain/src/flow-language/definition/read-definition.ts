import {
  LINKS,
  OUTPUT_MODES,
  PARTY_TYPES,
  SIGN_ACTIONS,
  VALUE_TYPES,
  type ConnectionSource,
  type Constant,
  type Definition,
  type Edge,
  type Element,
  type FieldElement,
  type FlowNode,
  type ImageElement,
  type LeafOutput,
  type OutputDocument,
  type Party,
  type PluginBlock,
  type PluginElement,
  type PluginInput,
  type PluginOutput,
  type PluginSnapshot,
  type PluginUse,
  type Rule,
  type Signer,
  type TextElement,
} from './definition.ts';
import type { Finding } from './finding.ts';
import { LIMITS } from './limits.ts';
import { NAME } from './names.ts';
import { condition, key } from './read-condition.ts';
import { expression } from './read-expression.ts';
import { boolean, list, map, Notes, object, oneOf, optional, otherwise, string, variant, type Read } from './reading.ts';

const name = string(LIMITS.name, NAME);
const label = string(LIMITS.label);
const show_if = optional(condition);

const party = object<Party>({ key: name, label, type: optional(oneOf(PARTY_TYPES)) });
const edge = object<Edge>({ from: name, to: name, when: optional(condition) });
const constant = object<Constant>({
  key: label, // any text: publishing names a bad one
  label: optional(label),
  result_type: oneOf(VALUE_TYPES),
  expr: expression,
  shown_on: otherwise(list(label, LIMITS.nodes), () => []),
});

const block = object<PluginBlock>({
  key: name,
  kind: oneOf(['search_select', ...VALUE_TYPES]),
  label,
  depends_on: optional(list(name, LIMITS.plugin_parts)),
});
const input = object<PluginInput>({ key: name, type: oneOf(VALUE_TYPES), label, required: boolean });
const output = object<PluginOutput>({ key: name, type: oneOf(VALUE_TYPES), label });
const snapshot = object<PluginSnapshot>({
  plugin_name: label,
  host: label,
  label,
  blocks: list(block, LIMITS.plugin_parts),
  inputs: list(input, LIMITS.plugin_parts),
  outputs: list(output, LIMITS.plugin_parts),
});
/** An author names the plugin; saving copies its description in. @spec D2-2.6 */
const notCopiedYet = (): PluginSnapshot => ({ plugin_name: '', host: '', label: '', blocks: [], inputs: [], outputs: [] });
const plugin = object<PluginUse>({
  plugin_id: label,
  field_type: label,
  snapshot: otherwise(snapshot, notCopiedYet),
  inputs: map(name, key, LIMITS.plugin_parts),
});

const field = object<FieldElement>({
  kind: oneOf(['field']),
  slug: name,
  label,
  type: label,
  required: boolean,
  show_if,
  options: optional(list(label, LIMITS.options)),
  default: optional(expression),
  min: optional(expression),
  max: optional(expression),
  link: optional(oneOf(LINKS)),
});
const element = variant<Element>(
  'kind',
  {
    field,
    text: object<TextElement>({ kind: oneOf(['text']), text: string(LIMITS.text), show_if }),
    image: object<ImageElement>({ kind: oneOf(['image']), asset_key: label, alt: optional(label), show_if }),
    plugin: object<PluginElement>({ kind: oneOf(['plugin']), slug: name, label, required: boolean, show_if, plugin }),
  },
  (value) => ({ kind: 'unknown', given: String((value as { kind: string }).kind).slice(0, LIMITS.name) }),
);

const languages: Read<Rule['languages']> = (value, notes) => (value === 'all' ? value : list(label, LIMITS.languages)(value, notes));
const rule = object<Rule>({
  asset_key: optional(label),
  source_field: optional(label),
  source_connection: optional(object<ConnectionSource>({ party: label, request_slug: label })),
  when: optional(condition),
  languages,
  signers: optional(list(object<Signer>({ party: label, action: oneOf(SIGN_ACTIONS) }), LIMITS.parties)),
});
const document = object<OutputDocument>({ output_key: name, name: label, rules: list(rule, LIMITS.rules) });
const leafOutput = object<LeafOutput>({ language_party: label, documents: list(document, LIMITS.documents) });

const node = object<FlowNode>({
  key: name,
  party: label,
  title: label,
  elements: list(element, LIMITS.elements),
  output: optional(leafOutput),
});

const definition = object<Definition>({
  entry: label,
  output_mode: oneOf(OUTPUT_MODES),
  parties: list(party, LIMITS.parties, 1),
  nodes: list(node, LIMITS.nodes, 1),
  edges: list(edge, LIMITS.edges),
  constants: otherwise(list(constant, LIMITS.constants), () => []),
});

export type DefinitionReading = { ok: true; definition: Definition } | { ok: false; findings: Finding[] };

/**
 * Reads a flow definition that came from outside into a fresh object of exactly the known members, within bounds of size and depth.
 * Written by hand rather than with zod, so that a phone's bundle stays small. @spec D2-2.2 @gap D2-2.2
 */
export function readDefinition(value: unknown): DefinitionReading {
  const notes = new Notes();
  const read = definition(value, notes);
  return notes.findings.length ? { ok: false, findings: notes.findings } : { ok: true, definition: read };
}
