import { isJsonObject } from '../../field-types/json-values.ts';
import {
  LINKS,
  OUTPUT_MODES,
  PARTY_TYPES,
  SIGN_ACTIONS,
  VALUE_TYPES,
  type Condition,
  type ConnectionSource,
  type Constant,
  type Definition,
  type Edge,
  type Element,
  type Expr,
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
  type UnreadableElement,
} from './definition.ts';
import type { Finding } from './finding.ts';
import { LIMITS } from './limits.ts';
import { NAME } from './names.ts';
import { condition as readCondition, key } from './read-condition.ts';
import { expression as readExpression } from './read-expression.ts';
import { boolean, list, map, mended, Notes, object, oneOf, optional, otherwise, parts, string, variant, type Read } from './reading.ts';

const name = string(LIMITS.name, NAME);
const label = string(LIMITS.label);

/** Returns the text of a given name, even if it is no valid name, so that references to it are not reported as unknown. */
const textOf = (given: unknown): string | undefined => (typeof given === 'string' && given.length <= LIMITS.label ? given : undefined);

/** Reads a condition. If it cannot be read, it may have used any key, so it is in doubt which keys are used. */
const condition: Read<Condition> = (value, notes) => readCondition(value, notes) ?? (notes.doubt('uses') as never);
const expression: Read<Expr> = (value, notes) => {
  const expr = readExpression(value, notes);
  if (expr === undefined) notes.doubt('uses');
  return expr ?? { type: 'unreadable' };
};
const show_if = optional(condition);

const party = mended<Party>({ key: name, label, type: optional(oneOf(PARTY_TYPES)) }, ({ key, type }, given, notes) => {
  const known = textOf(given.key);
  if (key === undefined || (type === undefined && given.type !== undefined)) notes.doubt('parties');
  return known === undefined ? undefined : { key: known, label: '', ...(type && { type }) };
});

const edge = mended<Edge>({ from: name, to: name, when: optional(condition) }, (part, given, notes) => {
  const [from, to] = [textOf(given.from), textOf(given.to)];
  if (from !== undefined && to !== undefined) return { ...part, from, to };
  return notes.doubt('edges', 'paths', 'uses');
});

const constant = mended<Constant>(
  {
    key: label, // any text: publishing reports an invalid key
    label: optional(label),
    result_type: oneOf(VALUE_TYPES),
    expr: expression,
    shown_on: otherwise(list(label, LIMITS.nodes), () => []),
  },
  ({ key, result_type, expr, shown_on }, _given, notes) => {
    if (key === undefined) return notes.doubt('constants', 'uses');
    if (!expr || !shown_on) notes.doubt('uses');
    // Without a result type, the type of the constant is unknown.
    return { key, result_type: result_type!, expr: expr ?? { type: 'unreadable' }, shown_on: shown_on ?? [] };
  },
);

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
/** Returns an empty description. An author only names the plugin, and saving the flow copies its description. @spec D2-2.6 */
const notCopiedYet = (): PluginSnapshot => ({ plugin_name: '', host: '', label: '', blocks: [], inputs: [], outputs: [] });
const plugin = object<PluginUse>({
  plugin_id: label,
  field_type: label,
  snapshot: otherwise(snapshot, notCopiedYet),
  inputs: map(name, key, LIMITS.plugin_parts),
});

/** Returns the placeholder for a question that cannot be read. Undefined when it has no slug either. */
function unreadable(slug: string | undefined, notes: Notes): UnreadableElement | undefined {
  notes.doubt('uses');
  return slug === undefined ? undefined : { kind: 'unreadable', slug };
}

const field = mended<FieldElement, FieldElement | UnreadableElement>(
  {
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
  },
  (part, given, notes) => {
    const [slug, type] = [textOf(given.slug), part.type];
    if (part.slug === undefined) notes.doubt('slugs');
    const isJudged = (['options', 'link'] as const).every((member) => part[member] !== undefined || given[member] === undefined);
    if (slug === undefined || type === undefined || !isJudged) return unreadable(slug, notes);
    return { ...part, kind: 'field', slug, type, label: '', required: false };
  },
);
const pluginElement = mended<PluginElement, PluginElement | UnreadableElement>(
  { kind: oneOf(['plugin']), slug: name, label, required: boolean, show_if, plugin },
  (part, given, notes) => {
    const slug = textOf(given.slug);
    if (part.slug === undefined) notes.doubt('slugs');
    if (slug === undefined || !part.plugin) return unreadable(slug, notes);
    return { ...part, kind: 'plugin', slug, plugin: part.plugin, label: '', required: false };
  },
);

const shapes: Record<string, Read<Element>> = {
  field,
  text: object<TextElement>({ kind: oneOf(['text']), text: string(LIMITS.text), show_if }),
  image: object<ImageElement>({ kind: oneOf(['image']), asset_key: label, alt: optional(label), show_if }),
  plugin: pluginElement,
};
const ofNoKind: Read<Element> = (value) => {
  const { kind } = value as { kind?: unknown };
  return { kind: 'unknown', given: typeof kind === 'string' ? kind.slice(0, LIMITS.name) : null };
};
const element: Read<Element | undefined> = (value, notes) => {
  const read = variant('kind', shapes, ofNoKind)(value, notes) as Element | undefined;
  if (!read) notes.doubt('uses');
  if (!isJsonObject(value)) notes.doubt('slugs'); // it is not known which question this should be
  return read;
};

const languages: Read<Rule['languages']> = (value, notes) => (value === 'all' ? value : list(label, LIMITS.languages)(value, notes));
/** Reads a rule. It keeps its place in the list, even when only a part of it can be read. */
const rule = mended<Rule>(
  {
    asset_key: optional(label),
    source_field: optional(label),
    source_connection: optional(object<ConnectionSource>({ party: label, request_slug: label })),
    when: optional(condition),
    languages,
    signers: optional(list(object<Signer>({ party: label, action: oneOf(SIGN_ACTIONS) }), LIMITS.parties)),
  },
  (part, _given, notes) => {
    notes.doubt('uses');
    return { languages: 'all', ...part };
  },
);
const document = mended<OutputDocument>({ output_key: name, name: label, rules: parts(rule, LIMITS.rules) }, ({ rules }, given, notes) => {
  const output_key = textOf(given.output_key);
  if (output_key === undefined || !rules) notes.doubt('outputs', 'uses');
  return output_key === undefined ? undefined : { output_key, name: '', rules: rules ?? [] };
});
const leafOutput = mended<LeafOutput>(
  { language_party: label, documents: parts(document, LIMITS.documents) },
  ({ language_party, documents }, _given, notes) => {
    if (!documents) return notes.doubt('outputs', 'uses');
    return { language_party: language_party!, documents };
  },
);

const node = mended<FlowNode>(
  {
    key: name,
    party: label,
    title: label,
    elements: parts(element, LIMITS.elements),
    output: optional(leafOutput),
  },
  (part, given, notes) => {
    const key = textOf(given.key);
    if (part.key === undefined) notes.doubt('nodes', 'edges', 'paths');
    if (key === undefined || !part.elements) notes.doubt('slugs', 'uses');
    return key === undefined ? undefined : { title: '', elements: [], ...part, key, party: part.party! };
  },
);

const definition = mended<Definition>(
  {
    entry: label,
    output_mode: oneOf(OUTPUT_MODES),
    parties: parts(party, LIMITS.parties, 1),
    nodes: parts(node, LIMITS.nodes, 1),
    edges: parts(edge, LIMITS.edges),
    constants: otherwise(parts(constant, LIMITS.constants), () => []),
  },
  ({ entry, output_mode, parties, nodes, edges, constants }, _given, notes) => {
    if (entry === undefined) notes.doubt('paths');
    if (output_mode === undefined) notes.doubt('output_mode');
    if (!parties) notes.doubt('parties');
    if (!nodes) notes.doubt('nodes', 'slugs', 'paths', 'uses');
    if (!edges) notes.doubt('edges', 'paths', 'uses');
    if (!constants) notes.doubt('constants', 'uses');
    return {
      entry: entry!,
      output_mode: output_mode!,
      parties: parties ?? [],
      nodes: nodes ?? [],
      edges: edges ?? [],
      constants: constants ?? [],
    };
  },
);

export type DefinitionReading = { ok: true; definition: Definition } | { ok: false; findings: Finding[] };

/** What could be read of a definition. Members may be missing where the notes have a doubt, or mark their object as incomplete. */
interface PartialReading {
  /** Undefined when the value is no object, or has too many values. */
  definition: Definition | undefined;
  notes: Notes;
}

/** Reads as much of a definition as possible. Publishing uses this to report findings about the readable parts too. @spec D2-7 */
export function readParts(value: unknown): PartialReading {
  const notes = new Notes();
  const read = definition(value, notes);
  return { definition: isJsonObject(value) && !notes.isExhausted ? read : undefined, notes };
}

/**
 * Reads a flow definition that came from outside into a fresh object with exactly the known members, within limits of size and depth. It is
 * written by hand and not with zod, so that a phone's bundle stays small. @spec D2-2.2 @gap D2-2.2
 */
export function readDefinition(value: unknown): DefinitionReading {
  const { definition, notes } = readParts(value);
  return definition && notes.faults === 0 ? { ok: true, definition } : { ok: false, findings: notes.findings };
}
