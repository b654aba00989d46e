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
export const compileReading =
  (kinds: Kinds) =>
  (answers: Answers): Record<string, unknown> => {
    // Without a prototype it is a plain table: no key has a meaning of its own, and adding thirty costs a tenth.
    const values: Record<string, unknown> = Object.create(null);
    for (const slug of Object.keys(answers)) {
      const kind = kinds.get(slug) ?? 'unknown';
      if (slug.includes('.') && kinds.get(slugOf(slug)) === 'plugin') continue;
      values[slug] = readAnswer(kind, answers[slug]);
      if (kind === 'plugin') addDottedKeys(values, slug, readPluginAnswer(answers[slug]));
    }
    return values;
  };

/** Outputs come last: they win over a block of the same key. @gap D2-2.6 */
function addDottedKeys(values: Record<string, unknown>, slug: string, answer: PluginAnswer | null): void {
  for (const { key, pick, value } of answer?.blocks ?? []) {
    values[`${slug}.${key}`] = pick === undefined ? value : (pick?.label ?? null);
    if (pick !== undefined) values[`${slug}.${key}.id`] = pick?.id ?? null;
  }
  for (const { key, value } of answer?.outputs ?? []) values[`${slug}.${key}`] = value;
}
