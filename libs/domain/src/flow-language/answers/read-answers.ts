import { readByKind } from '../../field-types/plaintext.ts';
import type { Kind, Kinds } from '../definition/kinds.ts';
import type { Answers } from '../expressions/values.ts';
import { slugOf } from '../graph/availability.ts';
import { readPluginAnswer, type PluginAnswer } from '../plugins/plugin-answer.ts';

/**
 * Reads one answer into the form that this library works with. For kinds that use JSON (several choices, composites, files) the JSON text
 * is parsed. Everything else stays as it is, also an answer that was parsed before, so the caller may pass either. @spec D1-2.3
 */
export const readAnswer = (kind: Kind, answer: unknown): unknown => readByKind(kind, answer);

/**
 * Returns a function that copies answers into a fresh table for reading by key. Each answer is read by its kind, and a plugin answer gets
 * its dotted keys. A dotted key that was given as an answer is removed: it would be a forged answer of the plugin. @spec D2-2.5.4
 */
export const compileReading = (kinds: Kinds): Reading['read'] => compileReadings(kinds).read;

/** The two ways to read answers into a table. */
interface Reading {
  /** Reads all answers into a fresh table. */
  read(answers: Answers): Record<string, unknown>;
  /** Reads one answer again into the table of before, and returns the keys whose values may be different now. */
  readAgain(values: Record<string, unknown>, slug: string, answers: Answers): string[];
}

/** Compiles both ways of reading. Afterwards the table is the same as if all answers had been read into a fresh one. */
export function compileReadings(kinds: Kinds): Reading {
  const slugsOf = (...wanted: readonly Kind[]) => [...kinds].flatMap(([slug, kind]) => (wanted.includes(kind) ? [slug] : []));
  const [structured, plugins] = [slugsOf('multichoice', 'composite', 'binary'), slugsOf('plugin')];
  const isForged = (key: string) => key.includes('.') && kinds.get(slugOf(key)) === 'plugin';
  const read = (answers: Answers) => {
    // The table has no prototype, so no key has a special meaning, and adding thirty keys costs a tenth as much.
    const values: Record<string, unknown> = Object.assign(Object.create(null), answers);
    for (const slug of structured) if (slug in values) values[slug] = readAnswer(kinds.get(slug)!, values[slug]);
    if (plugins.length) for (const key of Object.keys(values).filter(isForged)) delete values[key];
    for (const slug of plugins) if (slug in values) addDottedKeys(values, slug, readPluginAnswer(values[slug]));
    return values;
  };
  const readAgain = (values: Record<string, unknown>, slug: string, answers: Answers) => {
    if (isForged(slug)) return [];
    const kind = kinds.get(slug) ?? 'unknown';
    const isOwn = (key: string) => key === slug || (kind === 'plugin' && slugOf(key) === slug);
    const before = kind === 'plugin' ? Object.keys(values).filter(isOwn) : [slug];
    for (const key of before) delete values[key];
    if (!Object.hasOwn(answers, slug)) return before;
    values[slug] = readAnswer(kind, answers[slug]);
    if (kind !== 'plugin') return before;
    addDottedKeys(values, slug, readPluginAnswer(values[slug]));
    return [...before, ...Object.keys(values).filter(isOwn)];
  };
  return { read, readAgain };
}

/** Adds the dotted keys of a plugin answer. Outputs are added last, so that they replace a block of the same key. @gap D2-2.6 */
function addDottedKeys(values: Record<string, unknown>, slug: string, answer: PluginAnswer | null): void {
  for (const { key, pick, value } of answer?.blocks ?? []) {
    values[`${slug}.${key}`] = pick === undefined ? value : (pick?.label ?? null);
    if (pick !== undefined) values[`${slug}.${key}.id`] = pick?.id ?? null;
  }
  for (const { key, value } of answer?.outputs ?? []) values[`${slug}.${key}`] = value;
}
