import type { Constant, Definition, Edge, Element, FlowNode, PluginElement, PluginSnapshot } from '../definition/definition.ts';
import type { Finding } from '../definition/finding.ts';
import { keysOf, kindsOf, type FieldTypes, type Kind, type Kinds } from '../definition/kinds.ts';
import type { Doubt, Notes } from '../definition/reading.ts';
import { availabilityOf, slugOf, type Availability } from '../graph/availability.ts';

/** What publishing must know apart from the definition. */
export interface PublishContext {
  fieldTypes: FieldTypes;
  /** The company's own plugins by id, with their field types by name. Null when no description could be fetched. */
  plugins: ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;
  /** The service's request fields. */
  request_fields: readonly RequestField[];
  /** The tags found in each uploaded template, by asset key. */
  templates: ReadonlyMap<string, readonly string[]>;
  /** The asset keys of the uploaded images. When absent, images are not checked. */
  images?: ReadonlySet<string>;
}
export interface RequestField {
  slug: string;
  type: string;
  audience: 'person' | 'company' | 'both';
}

/**
 * A definition with the facts about it that several checks need. When a part could not be read, or names are ambiguous, the facts are in
 * favour of the author, so that only certain errors are reported.
 */
export interface Survey extends Availability {
  definition: Definition;
  context: PublishContext;
  kinds: Kinds;
  constants: ReadonlyMap<string, Constant>;
  /** Every element with its node. */
  elements: readonly PlacedElement[];
  /** Every edge with its original index in the list. */
  edges: readonly (Edge & { index: number })[];
  /** Whether a key exists. Every key of a plugin without a description counts as existing. */
  isKnown(key: string): boolean;
  isNode(key: string): boolean;
  isParty(key: string): boolean;
  /** What is not known. */
  doubts: Set<Doubt>;
  /** Objects without some of their members, which could not be read. */
  incomplete: WeakSet<object>;
}
interface PlacedElement {
  node: FlowNode;
  element: Element;
  /** The index of the element on its node. */
  index: number;
}

/** One check of publishing. It returns what it finds wrong. After much work without a finding it returns undefined, which ends a step. */
export type Check = (survey: Survey) => Iterable<Finding | undefined>;

export function surveyOf(
  definition: Definition,
  context: PublishContext,
  { doubts, incomplete, positions }: Pick<Notes, 'doubts' | 'incomplete' | 'positions'>,
): Survey {
  const kinds = settledKinds(definition, context.fieldTypes);
  const elements = definition.nodes.flatMap((node) =>
    node.elements.map((element, index): PlacedElement => ({ node, element, index: positions.get(element) ?? index })),
  );
  const isUndescribed = (element: Element) =>
    element.kind === 'unreadable' || (element.kind === 'plugin' && !descriptionOf(context, element));
  const undescribed = new Set(elements.flatMap(({ element }) => ('slug' in element && isUndescribed(element) ? [element.slug] : [])));
  const nodes = new Set(definition.nodes.map(({ key }) => key));
  const parties = new Set(definition.parties.map(({ key }) => key));
  const { paths, isAvailable } = availabilityOf(definition);
  return {
    paths,
    isAvailable: (key, node) => doubts.has('paths') || isAvailable(key, node),
    definition,
    context,
    kinds,
    constants: new Map(definition.constants.map((constant) => [constant.key, constant])),
    elements,
    isKnown: (key) => kinds.has(key) || undescribed.has(slugOf(key)) || doubts.has('slugs') || doubts.has('constants'),
    isNode: (key) => nodes.has(key) || doubts.has('nodes'),
    isParty: (key) => parties.has(key) || doubts.has('parties'),
    edges: definition.edges.map((edge, index) => ({ ...edge, index: positions.get(edge) ?? index })),
    doubts,
    incomplete,
  };
}

/** Returns the kinds of all keys. A key to which two elements give different kinds is `unknown`. */
function settledKinds(definition: Definition, fieldTypes: FieldTypes): Kinds {
  const kinds = new Map(kindsOf(definition, fieldTypes));
  const seen = new Map<string, Kind>();
  for (const [key, kind] of definition.nodes.flatMap(({ elements }) => elements.flatMap((element) => keysOf(element, fieldTypes)))) {
    if ((seen.get(key) ?? kind) !== kind) kinds.set(key, 'unknown');
    seen.set(key, kind);
  }
  return kinds;
}

/** Returns the plugin's present description of the field type that an element uses. */
export const descriptionOf = ({ plugins }: PublishContext, { plugin }: PluginElement): PluginSnapshot | undefined =>
  plugins.get(plugin.plugin_id)?.get(plugin.field_type);
