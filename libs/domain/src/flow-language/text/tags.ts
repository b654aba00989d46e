import type { Definition, Party } from '../definition/definition.ts';
import { parseText, type TextNode } from './parse-text.ts';

/** Returns the keys of the value tags in a text, in order, each once. @spec D2-2.6 */
export const tagsOf = (text: string): string[] => [...new Set(keysIn(parseText(text)))];

const keysIn = (nodes: readonly TextNode[]): string[] =>
  nodes.flatMap((node) => (node.kind === 'value' ? [node.key] : 'children' in node ? keysIn(node.children) : []));

/** A tag that shows a party's profile or shared value: `{{party.field}}`. @spec D2-2.6 */
export interface PartyTag {
  tag: string;
  party: string;
  field: string;
}

/** Reads a key as a party tag. Undefined when the key is an answer, a plugin key or a constant. */
export function partyTag(parties: readonly Party[], key: string): PartyTag | undefined {
  const [party, field, ...rest] = key.split('.');
  if (field === undefined || rest.length || !parties.some(({ key }) => key === party)) return undefined;
  return { tag: key, party: party!, field };
}

const partyTags = ({ nodes, parties }: Definition, wanted: (party: Party) => boolean): PartyTag[] => {
  const texts = nodes.flatMap(({ elements }) => elements.flatMap((element) => (element.kind === 'text' ? [element.text] : [])));
  const chosen = parties.filter(wanted);
  return [...new Set(texts.flatMap(tagsOf))].flatMap((key) => partyTag(chosen, key) ?? []);
};

/** Returns the company's profile values that the text names. The platform fills them when a run starts. @spec D2-2.6 @spec D2-2.2 */
export const ownerTags = (definition: Definition): PartyTag[] => partyTags(definition, ({ type }) => type === 'owner');

/** Returns the customers' shared values that the text names. If there are any, a start needs `tag_values`. @spec D2-4.1 @spec D2-2.6 */
export const customerTags = (definition: Definition): PartyTag[] => partyTags(definition, ({ type }) => type !== 'owner');
