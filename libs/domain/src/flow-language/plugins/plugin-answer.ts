import { isCalendarDate } from '../../field-types/calendar-date.ts';
import { isEmpty } from '../../field-types/json-values.ts';
import { VALUE_TYPES, type BlockKind, type PluginUse, type Scalar, type ValueType } from '../definition/definition.ts';
import { LIMITS } from '../definition/limits.ts';
import { NAME } from '../definition/names.ts';
import { scalar } from '../definition/read-condition.ts';
import { list, Notes, object, oneOf, optional, string, type Read } from '../definition/reading.ts';
import { textOf } from '../expressions/values.ts';

/** A choice of a search_select block. @spec D2-2.6 */
export interface PluginPick {
  id: string;
  label: string;
}

/** One block as it was filled: a pick or a typed value, null while it is not filled. */
export interface AnsweredBlock {
  key: string;
  kind: BlockKind;
  label: string;
  pick?: PluginPick | null;
  value?: Scalar;
}

/** One output of the plugin. */
export interface AnsweredOutput {
  key: string;
  type: ValueType;
  label: string;
  value: Scalar;
}

/**
 * A plugin answer, which describes itself, so that it can be shown and read without the plugin and without the definition: blocks and
 * outputs in declared order, each with its label and type. It is sent as one JSON string. @spec D2-2.6 @gap D2-2.6
 */
export interface PluginAnswer {
  plugin: string;
  field_type: string;
  blocks: AnsweredBlock[];
  outputs: AnsweredOutput[];
}

/** The content of a filled plugin field, by key. */
export interface PluginGiven {
  picks: Readonly<Record<string, PluginPick>>;
  values: Readonly<Record<string, Scalar>>;
  outputs: Readonly<Record<string, Scalar>>;
}

/** Returns the JSON string to submit. */
export function writePluginAnswer({ field_type, snapshot }: PluginUse, { picks, values, outputs }: PluginGiven): string {
  const answer: PluginAnswer = {
    plugin: snapshot.plugin_name,
    field_type,
    blocks: snapshot.blocks.map(({ key, kind, label }) =>
      kind === 'search_select' ? { key, kind, label, pick: own(picks, key) } : { key, kind, label, value: own(values, key) },
    ),
    outputs: snapshot.outputs.map(({ key, type, label }) => ({ key, type, label, value: own(outputs, key) })),
  };
  return JSON.stringify(answer);
}

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | null => (Object.hasOwn(record, key) ? (record[key] ?? null) : null);

const name = string(LIMITS.name, NAME);
const label = string(LIMITS.label);
const pick: Read<PluginPick | null> = (value, notes) => (value === null ? null : object<PluginPick>({ id: label, label })(value, notes));
const block = object<AnsweredBlock>({
  key: name,
  kind: oneOf(['search_select', ...VALUE_TYPES]),
  label,
  pick: optional(pick),
  value: optional(scalar),
});
const output = object<AnsweredOutput>({ key: name, type: oneOf(VALUE_TYPES), label, value: scalar });
const answer = object<PluginAnswer>({
  plugin: label,
  field_type: label,
  blocks: list(block, LIMITS.plugin_parts),
  outputs: list(output, LIMITS.plugin_parts),
});

/** Reads a plugin answer. Returns null when the text is none, or when its values do not have the types that it declares. */
export function readPluginAnswer(text: unknown): PluginAnswer | null {
  if (typeof text !== 'string' || text.length > LIMITS.plugin_answer) return null;
  const notes = new Notes();
  const read = answer(parseJson(text), notes);
  if (notes.findings.length) return null;
  return read.blocks.every(isWellTyped) && read.outputs.every(({ type, value }) => fits(type, value)) ? read : null;
}

/** Parses a text as JSON. Returns undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isWellTyped = ({ kind, pick, value }: AnsweredBlock): boolean =>
  kind === 'search_select' ? pick !== undefined && value === undefined : pick === undefined && fits(kind, value);

/** Whether a value is of a declared type. Null is of every type. */
export function fits(type: ValueType, value: Scalar | undefined): boolean {
  if (value === null) return true;
  if (type === 'date') return isCalendarDate(value);
  return typeof value === (type === 'text' ? 'string' : type);
}

/** Whether a required plugin field is answered: every pick made or, with typed blocks only, one of them filled. @spec D2-7 @gap D2-2.6 */
export function isFilledPluginAnswer(text: unknown): boolean {
  const read = readPluginAnswer(text);
  if (!read) return false;
  const picks = read.blocks.filter(({ kind }) => kind === 'search_select');
  if (picks.length) return picks.every(({ pick }) => pick);
  return read.blocks.length === 0 || read.blocks.some(({ value }) => !isEmpty(value));
}

/** Returns why a text is no answer to this plugin element. Null when it is one. @spec D2-4.2 */
export function pluginAnswerFault({ field_type, snapshot }: PluginUse, text: unknown): string | null {
  const read = readPluginAnswer(text);
  if (!read) return 'The answer is no plugin answer: submit the JSON text that writePluginAnswer makes';
  const isRequested = read.plugin === snapshot.plugin_name && read.field_type === field_type;
  if (!isRequested) return `The answer was made by ${read.plugin} for ${read.field_type}, not by the plugin of this field`;
  const blocks = alike(snapshot.blocks, read.blocks, (a, b) => a.key === b.key && a.kind === b.kind);
  if (!blocks) return 'The blocks of the answer are not those of the field, in declared order';
  const outputs = alike(snapshot.outputs, read.outputs, (a, b) => a.key === b.key && a.type === b.type);
  return outputs ? null : 'The outputs of the answer are not those of the field';
}

const alike = <A, B>(declared: readonly A[], given: readonly B[], same: (a: A, b: B) => boolean): boolean =>
  declared.length === given.length && declared.every((one, i) => same(one, given[i]!));

/** Returns the text of a plugin answer for people: its picks and values. */
export const pluginAnswerText = ({ blocks }: PluginAnswer): string =>
  blocks
    .map(({ pick, value }) => pick?.label ?? textOf(value))
    .filter((text) => text)
    .join(', ');
