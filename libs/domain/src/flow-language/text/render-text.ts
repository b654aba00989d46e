import { readAnswer } from '../answers/read-answers.ts';
import { held, textOf, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { pluginAnswerText, readPluginAnswer } from '../plugins/plugin-answer.ts';
import { parseText, type TextNode } from './parse-text.ts';
import { partyTag } from './tags.ts';

/** Stands for a value that is not there yet. @spec D2-2.6 */
export const UNANSWERED = '—';

/** The text of a key, or null while it has none. */
export type KeyText = (key: string) => string | null;

/** A profile or shared value as tag_values and owner_tag_values hold it: the value and its type. @spec D2-2.2 */
export type TagValues = Readonly<Record<string, { v: unknown; t: string }>>;

/** What value tags show in a run: party tags from the values compiled at start, all others from answers and constants. @spec D2-2.6 */
export const keyTextOf =
  (flow: Flow, values: Values, tagValues: TagValues = {}): KeyText =>
  (key) => {
    if (!partyTag(flow.definition.parties, key)) return answerText(flow, key, values);
    if (!Object.hasOwn(tagValues, key)) return null;
    const { v, t } = tagValues[key]!;
    return textOf(readAnswer(flow.fieldTypes.kindOf(t), v));
  };

/** An answer or constant as people read it: a plugin answer by its picks and values. */
export function answerText({ kinds }: Flow, key: string, values: Values): string | null {
  const value = held(values, key);
  const plugin = kinds.get(key) === 'plugin' ? readPluginAnswer(value) : null;
  return (plugin ? pluginAnswerText(plugin) : textOf(value)) || null;
}

/** An element's text without markup, values filled in and a dash where there is none. */
export const plainText = (source: string, keyText: KeyText): string => plain(parseText(source), keyText);

const plain = (nodes: readonly TextNode[], keyText: KeyText): string =>
  nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      return node.kind === 'value' ? (keyText(node.key) ?? UNANSWERED) : plain(node.children, keyText);
    })
    .join('');
