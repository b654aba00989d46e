import type { FieldElement } from '../definition/definition.ts';
import { finding } from '../definition/finding.ts';
import { partyTag, tagsOf } from '../text/tags.ts';
import type { Check, PublishInputs, CheckContext } from './check-context.ts';

/** Every node can be reached from the entry. @gap D2-7 */
export const nodesAreReachable: Check = function* ({ definition: { nodes }, paths, doubts }) {
  if (doubts.has('paths')) return;
  for (const { key } of nodes) {
    if (!paths.reachable.has(key)) yield finding('node.unreachable', { node: key }, `No path leads to ${key}: add an edge or remove it`);
  }
};

/** Elements are fields, texts, images or plugins. @spec D2-7 @spec D2-2.6 */
export const elementKindsAreKnown: Check = function* ({ elements }) {
  for (const { node, element, index } of elements) {
    if (element.kind !== 'unknown') continue;
    const kind = element.given === null ? 'without a kind' : `of kind ${element.given}`;
    const message = `${node.key} holds an element ${kind}: use field, text, image or plugin`;
    yield finding('element.kind_invalid', { node: node.key, index }, message);
  }
};

/** Fields have a type that can be answered, and a choice has options. @spec D2-4.2 @gap D2-7 */
export const fieldTypesAreAnswerable: Check = function* ({ elements, inputs }) {
  for (const { node, element } of elements) {
    if (element.kind !== 'field') continue;
    const { slug } = element;
    const fault = typeFault(element, inputs);
    if (fault) yield finding('flows.definition_invalid', { node: node.key, element: slug }, `The field ${slug} ${fault}`);
  }
};

function typeFault({ type, options }: FieldElement, { fieldTypes }: PublishInputs): string | undefined {
  if (fieldTypes.kindOf(type) === 'unknown') return `has the type ${type}, which the registry does not carry`;
  if (fieldTypes.isRequestable(type)) return options ? `has options, but the type ${type} takes none from a step` : undefined;
  return options?.length && new Set(options).size === options.length ? undefined : 'is a choice: give it one or more options, each once';
}

/** Only customers have a profile from which answers are linked, so no field of the owner must be linked. @spec D2-2.2 @gap D2-7 */
export const ownersLinkNothing: Check = function* ({ elements, definition: { parties }, doubts }) {
  if (doubts.has('parties')) return;
  const owners = new Set(parties.filter(({ type }) => type === 'owner').map(({ key }) => key));
  for (const { node, element } of elements) {
    if (element.kind !== 'field' || !element.link || !owners.has(node.party)) continue;
    const message = `The field ${element.slug} must be linked from a profile, but ${node.key} is a step of the company: remove link`;
    yield finding('flows.definition_invalid', { node: node.key, element: element.slug }, message);
  }
};

/** Every image of a step was uploaded. @gap D2-7 */
export const imagesAreThere: Check = function* ({ elements, inputs: { images } }) {
  for (const { node, element, index } of elements) {
    if (!images || element.kind !== 'image' || images.has(element.asset_key)) continue;
    const message = `${node.key} shows the image ${element.asset_key}, which was not uploaded`;
    yield finding('flows.definition_invalid', { node: node.key, index }, message);
  }
};

/** Tags in texts name values that can be known on their step. @spec D2-2.6 @gap D2-7 */
export const textTagsAreKnown: Check = function* (context) {
  for (const { node, element, index } of context.elements) {
    if (element.kind !== 'text') continue;
    const { key } = node;
    const unknown = tagsOf(element.text).filter((tag) => !canShow(context, tag, key));
    for (const tag of unknown)
      yield finding('text.unknown_tag', { node: key, index }, `On ${key}, the tag {{${tag}}} will always show a dash`);
  }
};

/**
 * Whether a tag can show a value on a node. A customer's tag must name a request field. A tag of the company always passes: only the
 * platform knows, when a run starts, which profile fields the company has.
 */
function canShow({ definition, inputs, isKnown, isAvailable, doubts }: CheckContext, tag: string, node: string): boolean {
  if (doubts.has('parties') && tag.includes('.')) return true;
  const party = partyTag(definition.parties, tag);
  if (!party) return isKnown(tag) && isAvailable(tag, node);
  const isOwner = definition.parties.some(({ key, type }) => key === party.party && type === 'owner');
  return isOwner || inputs.request_fields.some(({ slug }) => slug === party.field);
}
