import type { Kind, Kinds } from '../definition/kinds.ts';
import type { Values } from '../expressions/values.ts';
import { parseJson, readPluginAnswer, type PluginAnswer } from './plugin-answer.ts';

type Entry = [key: string, value: unknown];
type Expand = (slug: string, text: string) => Entry[];

const asJson: Expand = (slug, text) => [[slug, parseJson(text) ?? text]];

/** What becomes of a plaintext, by kind; all others stay text. @spec D1-2.3 @spec D2-2.5.4 */
const EXPAND: Partial<Record<Kind, Expand>> = {
  multichoice: asJson,
  composite: asJson,
  binary: asJson,
  plugin: (slug, text) => [[slug, text], ...dottedEntries(slug, readPluginAnswer(text))],
};

/**
 * Makes answers ready to be read by key: a plaintext that is JSON by its type is parsed, and a plugin answer gains its dotted keys.
 * Nobody can answer a dotted key directly, for that would be to speak for a plugin. @spec D2-2.5.4
 */
export const compileExpansion =
  (kinds: Kinds) =>
  (answers: Values): Values => {
    const values: Record<string, unknown> = Object.create(null);
    for (const [slug, value] of Object.entries(answers)) {
      if (slug.includes('.')) continue;
      const expand = EXPAND[kinds.get(slug) ?? 'unknown'];
      const entries = expand && typeof value === 'string' ? expand(slug, value) : [[slug, value] as const];
      for (const [key, each] of entries) values[key] = each;
    }
    return values;
  };

/** Outputs come last: they win over a block of the same key. @gap D2-2.6 */
function dottedEntries(slug: string, answer: PluginAnswer | null): Entry[] {
  if (!answer) return [];
  const blocks = answer.blocks.flatMap(({ key, pick, value }): Entry[] =>
    pick === undefined
      ? [[`${slug}.${key}`, value]]
      : [
          [`${slug}.${key}`, pick?.label ?? null],
          [`${slug}.${key}.id`, pick?.id ?? null],
        ],
  );
  return [...blocks, ...answer.outputs.map(({ key, value }): Entry => [`${slug}.${key}`, value])];
}
