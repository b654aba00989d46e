import type { FieldTypes as Registry, Kind as FieldKind } from '../../field-types/index.ts';
import type { Definition, Element, PluginElement } from './definition.ts';

/** How a value is read and compared. No field is boolean, but a constant or a plugin's output may be. @gap D2-2.5 */
export type Kind = FieldKind | 'boolean' | 'plugin';

/** The kind behind each key of a flow: field slugs, plugin slugs, dotted plugin keys and constants. */
export type Kinds = ReadonlyMap<string, Kind>;

/** The part of the field-type registry that the flow language uses. */
export type FieldTypes = Pick<Registry, 'resolve' | 'kindOf' | 'accepts' | 'isRequestable'>;

/** Returns the kind of every key that a definition may use. */
export function kindsOf({ nodes, constants }: Definition, fieldTypes: Pick<FieldTypes, 'kindOf'>): Kinds {
  const answers = nodes.flatMap(({ elements }) => elements.flatMap((element) => keysOf(element, fieldTypes)));
  return new Map([...answers, ...constants.map(({ key, result_type }): [string, Kind] => [key, result_type])]);
}

/** Returns the keys that one element adds to the flow, each with its kind. */
export function keysOf(element: Element, fieldTypes: Pick<FieldTypes, 'kindOf'>): [key: string, kind: Kind][] {
  if (element.kind === 'field') return [[element.slug, fieldTypes.kindOf(element.type)]];
  if (element.kind === 'unreadable') return [[element.slug, 'unknown']];
  return element.kind === 'plugin' ? pluginKeys(element) : [];
}

/**
 * Returns the keys of a plugin answer: `slug.output`, `slug.block` (for a pick, its label) and `slug.block.id` (the pick's id). An output
 * replaces a block of the same key. @spec D2-2.5 @gap D2-2.6
 */
function pluginKeys({ slug, plugin: { snapshot } }: PluginElement): [string, Kind][] {
  const keys: [string, Kind][] = [[slug, 'plugin']];
  for (const { key, kind } of snapshot.blocks) {
    if (kind === 'search_select') keys.push([`${slug}.${key}`, 'text'], [`${slug}.${key}.id`, 'text']);
    else keys.push([`${slug}.${key}`, kind]);
  }
  for (const { key, type } of snapshot.outputs) keys.push([`${slug}.${key}`, type]);
  return keys;
}
