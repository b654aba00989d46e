import { readAnswer } from '../answers/read-answers.ts';
import { ownValue, textOf, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { pluginAnswerText, readPluginAnswer } from '../plugins/plugin-answer.ts';
import { parseText, type TextNode } from './parse-text.ts';
import { partyTag } from './tags.ts';

/** The text that is shown for a value that is not known yet. @spec D2-2.6 */
export const UNANSWERED = '—';

/** Returns the text of a key, or null while it has none. */
export type KeyText = (key: string) => string | null;

/** Profile values or shared values as in `tag_values` and `owner_tag_values`: each with its value and its type. @spec D2-2.2 */
export type TagValues = Readonly<Record<string, { v: unknown; t: string }>>;

/** Returns the texts of value tags in a run: of party tags from the values compiled at the start, of others from `values`. @spec D2-2.6 */
export const keyTextOf =
  (flow: Flow, values: Values, tagValues: TagValues = {}): KeyText =>
  (key) => {
    if (!partyTag(flow.definition.parties, key)) return answerText(flow, key, values);
    if (!Object.hasOwn(tagValues, key)) return null;
    const { v, t } = tagValues[key]!;
    return textOf(readAnswer(flow.fieldTypes.kindOf(t), v));
  };

/** Returns the text of an answer or constant for people. A plugin answer is shown by its picks and values. */
export function answerText({ kinds }: Flow, key: string, values: Values): string | null {
  const value = ownValue(values, key);
  const plugin = kinds.get(key) === 'plugin' ? readPluginAnswer(value) : null;
  return (plugin ? pluginAnswerText(plugin) : textOf(value)) || null;
}

/** Returns an element's text without markup, with its values filled in, and a dash for each missing value. */
export const plainText = (source: string, keyText: KeyText): string => plain(parseText(source), keyText);

const plain = (nodes: readonly TextNode[], keyText: KeyText): string =>
  nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      return node.kind === 'value' ? (keyText(node.key) ?? UNANSWERED) : plain(node.children, keyText);
    })
    .join('');
