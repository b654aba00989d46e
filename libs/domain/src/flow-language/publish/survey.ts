import type { Constant, Definition, Element, FlowNode, PluginElement, PluginSnapshot } from '../definition/definition.ts';
import type { Finding } from '../definition/finding.ts';
import { kindsOf, type FieldTypes, type Kinds } from '../definition/kinds.ts';
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
}
export interface RequestField {
  slug: string;
  type: string;
  audience: 'person' | 'company' | 'both';
}

/** A definition with everything the checks ask about it more than once. */
export interface Survey extends Availability {
  definition: Definition;
  context: PublishContext;
  kinds: Kinds;
  constants: ReadonlyMap<string, Constant>;
  /** Every element with the node it stands on. */
  elements: readonly PlacedElement[];
  /** Whether a key exists; for a plugin without a description every key counts as existing. */
  isKnown(key: string): boolean;
}
export interface PlacedElement {
  node: FlowNode;
  element: Element;
}

/** One rule of publishing: what it finds wrong. */
export type Check = (survey: Survey) => Iterable<Finding>;

export function surveyOf(definition: Definition, context: PublishContext): Survey {
  const kinds = kindsOf(definition, context.fieldTypes);
  const elements = definition.nodes.flatMap((node) => node.elements.map((element): PlacedElement => ({ node, element })));
  const isUndescribed = (element: Element) => element.kind === 'plugin' && !descriptionOf(context, element);
  const undescribed = new Set(elements.flatMap(({ element }) => ('slug' in element && isUndescribed(element) ? [element.slug] : [])));
  return {
    ...availabilityOf(definition),
    definition,
    context,
    kinds,
    constants: new Map(definition.constants.map((constant) => [constant.key, constant])),
    elements,
    isKnown: (key) => kinds.has(key) || undescribed.has(slugOf(key)),
  };
}

/** What a plugin currently says about the field type an element uses. */
export const descriptionOf = ({ plugins }: PublishContext, { plugin }: PluginElement): PluginSnapshot | undefined =>
  plugins.get(plugin.plugin_id)?.get(plugin.field_type);
