import type { Constant, Definition, Edge, Element, FlowNode, PluginElement, PluginSnapshot } from '../definition/definition.ts';
import type { Finding } from '../definition/finding.ts';
import { keysOf, kindsOf, type FieldTypes, type Kind, type Kinds } from '../definition/kinds.ts';
import type { Doubt, Notes } from '../definition/reading.ts';
import { availabilityOf, slugOf, type Availability } from '../graph/availability.ts';

/** What publishing must know apart from the definition. */
export interface PublishInputs {
  fieldTypes: FieldTypes;
  /** For each plugin of the company, by id: its own field types by name, or null if it has never described itself. */
  plugins: ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;
  /** The service's request fields. */
  request_fields: readonly RequestField[];
  /** The tags found in each uploaded template, by asset key. */
  templates: ReadonlyMap<string, readonly string[]>;
  /** The asset keys of the uploaded images. When absent, images are not context. */
  images?: ReadonlySet<string>;
}
export interface RequestField {
  slug: string;
  type: string;
  audience: 'person' | 'company' | 'both';
}

/**
 * A definition, with the indexes and predicates that several checks share. If a part is unreadable or ambiguous, the predicates return
 * true, so that a check reports only errors that are proven.
 */
export interface CheckContext extends Availability {
  definition: Definition;
  inputs: PublishInputs;
  kinds: Kinds;
  constants: ReadonlyMap<string, Constant>;
  /** Every element with its node. */
  elements: readonly PlacedElement[];
  /** Every edge with its original index in the list. */
  edges: readonly (Edge & { index: number })[];
  /** Whether a field, a plugin or a constant has this key. Each key of a plugin that has never described itself counts. */
  isKnown(key: string): boolean;
  isNode(key: string): boolean;
  isParty(key: string): boolean;
  /** The parts of the definition that could not be resolved. The first checks add to them, and the predicates follow. */
  doubts: Set<Doubt>;
  /** Objects from which unreadable members were dropped. */
  incomplete: WeakSet<object>;
}
interface PlacedElement {
  node: FlowNode;
  element: Element;
  /** The original index of the element on its node. */
  index: number;
}

/** One check of publishing: a generator of findings. It may also yield undefined, so that a long check lets other work run. */
export type Check = (context: CheckContext) => Iterable<Finding | undefined>;

export function checkContextOf(
  definition: Definition,
  inputs: PublishInputs,
  { doubts, incomplete, positions }: Pick<Notes, 'doubts' | 'incomplete' | 'positions'>,
): CheckContext {
  const kinds = kindsWithoutConflicts(definition, inputs.fieldTypes);
  const elements = definition.nodes.flatMap((node) =>
    node.elements.map((element, index): PlacedElement => ({ node, element, index: positions.get(element) ?? index })),
  );
  const hasUnknownKeys = (element: Element) =>
    element.kind === 'unreadable' || (element.kind === 'plugin' && !descriptionOf(inputs, element));
  const withUnknownKeys = new Set(elements.flatMap(({ element }) => ('slug' in element && hasUnknownKeys(element) ? [element.slug] : [])));
  const nodes = new Set(definition.nodes.map(({ key }) => key));
  const parties = new Set(definition.parties.map(({ key }) => key));
  const { paths, isAvailable } = availabilityOf(definition);
  return {
    paths,
    isAvailable: (key, node) => doubts.has('paths') || isAvailable(key, node),
    definition,
    inputs,
    kinds,
    constants: new Map(definition.constants.map((constant) => [constant.key, constant])),
    elements,
    isKnown: (key) => kinds.has(key) || withUnknownKeys.has(slugOf(key)) || doubts.has('slugs') || doubts.has('constants'),
    isNode: (key) => nodes.has(key) || doubts.has('nodes'),
    isParty: (key) => parties.has(key) || doubts.has('parties'),
    edges: definition.edges.map((edge, index) => ({ ...edge, index: positions.get(edge) ?? index })),
    doubts,
    incomplete,
  };
}

/** Returns the kinds of all keys. A key that two elements declare with different kinds is `unknown`. */
function kindsWithoutConflicts(definition: Definition, fieldTypes: FieldTypes): Kinds {
  const kinds = new Map(kindsOf(definition, fieldTypes));
  const seen = new Map<string, Kind>();
  for (const [key, kind] of definition.nodes.flatMap(({ elements }) => elements.flatMap((element) => keysOf(element, fieldTypes)))) {
    if ((seen.get(key) ?? kind) !== kind) kinds.set(key, 'unknown');
    seen.set(key, kind);
  }
  return kinds;
}

/** Returns how the plugin describes the field type of an element now. */
export const descriptionOf = ({ plugins }: PublishInputs, { plugin }: PluginElement): PluginSnapshot | undefined =>
  plugins.get(plugin.plugin_id)?.get(plugin.field_type);
