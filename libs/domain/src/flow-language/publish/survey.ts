import type { Constant, Definition, Edge, Element, FlowNode, PluginElement, PluginSnapshot } from '../definition/definition.ts';
import type { Finding } from '../definition/finding.ts';
import { keysOf, kindsOf, type FieldTypes, type Kind, type Kinds } from '../definition/kinds.ts';
import type { Doubt, Notes } from '../definition/reading.ts';
import { availabilityOf, slugOf, type Availability } from '../graph/availability.ts';

/** What publishing must know beside the definition. */
export interface PublishContext {
  fieldTypes: FieldTypes;
  /** The company's own plugins by id: their field types by name, or null while no description could be fetched. */
  plugins: ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;
  /** The service's request fields. */
  request_fields: readonly RequestField[];
  /** The tags found in each uploaded template, by asset key. */
  templates: ReadonlyMap<string, readonly string[]>;
  /** The asset keys of the uploaded images; where nobody knows them, they are not looked for. */
  images?: ReadonlySet<string>;
}
export interface RequestField {
  slug: string;
  type: string;
  audience: 'person' | 'company' | 'both';
}

/**
 * A definition with everything the checks ask about it more than once. Where a part could not be read, or names do not hold together, it
 * answers in favour of the author: only what is certain is found.
 */
export interface Survey extends Availability {
  definition: Definition;
  context: PublishContext;
  kinds: Kinds;
  constants: ReadonlyMap<string, Constant>;
  /** Every element with the node it stands on. */
  elements: readonly PlacedElement[];
  /** Every edge with its place in the list, as it was written. */
  edges: readonly (Edge & { index: number })[];
  /** Whether a key exists; for a plugin without a description every key counts as existing. */
  isKnown(key: string): boolean;
  isNode(key: string): boolean;
  isParty(key: string): boolean;
  /** What is unknown. */
  doubts: Set<Doubt>;
  /** Objects that lost members when they were read. */
  incomplete: WeakSet<object>;
}
export interface PlacedElement {
  node: FlowNode;
  element: Element;
  /** Its place on the node. */
  index: number;
}

/** One rule of publishing: what it finds wrong. */
export type Check = (survey: Survey) => Iterable<Finding>;

export function surveyOf(
  definition: Definition,
  context: PublishContext,
  { doubts, incomplete, places }: Pick<Notes, 'doubts' | 'incomplete' | 'places'>,
): Survey {
  const kinds = settledKinds(definition, context.fieldTypes);
  const elements = definition.nodes.flatMap((node) =>
    node.elements.map((element, index): PlacedElement => ({ node, element, index: places.get(element) ?? index })),
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
    edges: definition.edges.map((edge, index) => ({ ...edge, index: places.get(edge) ?? index })),
    doubts,
    incomplete,
  };
}

/** The kinds of all keys; one that two elements give different kinds has none that anybody knows. */
function settledKinds(definition: Definition, fieldTypes: FieldTypes): Kinds {
  const kinds = new Map(kindsOf(definition, fieldTypes));
  const seen = new Map<string, Kind>();
  for (const [key, kind] of definition.nodes.flatMap(({ elements }) => elements.flatMap((element) => keysOf(element, fieldTypes)))) {
    if ((seen.get(key) ?? kind) !== kind) kinds.set(key, 'unknown');
    seen.set(key, kind);
  }
  return kinds;
}

/** What a plugin currently says about the field type an element uses. */
export const descriptionOf = ({ plugins }: PublishContext, { plugin }: PluginElement): PluginSnapshot | undefined =>
  plugins.get(plugin.plugin_id)?.get(plugin.field_type);
