import { readByKind } from '../../field-types/plaintext.ts';
import type { Kind, Kinds } from '../definition/kinds.ts';
import type { Answers } from '../expressions/values.ts';
import { slugOf } from '../graph/availability.ts';
import { readPluginAnswer, type PluginAnswer } from '../plugins/plugin-answer.ts';

/**
 * One answer as everything in this library sees it: JSON text is read where the kind has it (several choices, composites, files), and
 * everything else is as held. What was read already stays as it is, so answers may be given as they travel or as objects. @spec D1-2.3
 */
export const readAnswer = (kind: Kind, answer: unknown): unknown => readByKind(kind, answer);

/**
 * Makes answers ready to be read by key, in a fresh table: each is read by its kind, and a plugin answer gains its dotted keys. Nobody can
 * answer a dotted key of a plugin directly, for that would be to speak for a plugin. @spec D2-2.5.4
 */
export function compileReading(kinds: Kinds): (answers: Answers) => Record<string, unknown> {
  const slugsOf = (...wanted: readonly Kind[]) => [...kinds].flatMap(([slug, kind]) => (wanted.includes(kind) ? [slug] : []));
  const [structured, plugins] = [slugsOf('multichoice', 'composite', 'binary'), slugsOf('plugin')];
  const isForged = (key: string) => key.includes('.') && kinds.get(slugOf(key)) === 'plugin';
  return (answers) => {
    // Without a prototype it is a plain table: no key has a meaning of its own, and adding thirty costs a tenth.
    const values: Record<string, unknown> = Object.assign(Object.create(null), answers);
    for (const slug of structured) if (slug in values) values[slug] = readAnswer(kinds.get(slug)!, values[slug]);
    if (plugins.length) for (const key of Object.keys(values).filter(isForged)) delete values[key];
    for (const slug of plugins) if (slug in values) addDottedKeys(values, slug, readPluginAnswer(values[slug]));
    return values;
  };
}

/** Outputs come last: they win over a block of the same key. @gap D2-2.6 */
function addDottedKeys(values: Record<string, unknown>, slug: string, answer: PluginAnswer | null): void {
  for (const { key, pick, value } of answer?.blocks ?? []) {
    values[`${slug}.${key}`] = pick === undefined ? value : (pick?.label ?? null);
    if (pick !== undefined) values[`${slug}.${key}.id`] = pick?.id ?? null;
  }
  for (const { key, value } of answer?.outputs ?? []) values[`${slug}.${key}`] = value;
}
