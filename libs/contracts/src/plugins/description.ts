import { z } from 'zod';
import { expects } from '../core/fails.ts';
import { publicKeyOr, sealedUpTo } from '../core/sealed.ts';
import { Line, Slug, Timestamp } from '../core/text.ts';
import { PLUGIN_CALL, PLUGIN_DESCRIPTION, PLUGIN_QUESTION } from './limits.ts';
import { BlockKind, ValueType } from './shapes.ts';

const part = { key: Slug, label: Line };
const Block = z.object({ ...part, kind: BlockKind, depends_on: z.array(Slug).max(PLUGIN_DESCRIPTION.parts).optional() });
const Input = z.object({ ...part, type: ValueType, required: z.boolean() });
const Output = z.object({ ...part, type: ValueType });

const listOf = <T extends z.ZodObject<{ key: typeof Slug }>>(item: T) =>
  z
    .array(item)
    .max(PLUGIN_DESCRIPTION.parts)
    .refine((parts) => isDistinct(parts.map(({ key }) => key)), expects('must have keys that differ'));

const isDistinct = (keys: readonly unknown[]) => new Set(keys).size === keys.length;

/** Whether every block depends only on blocks before it, so that there is an order to fill them in. */
const followsItsOrder = (blocks: readonly z.infer<typeof Block>[]) =>
  blocks.every(({ depends_on = [] }, nth) => depends_on.every((key) => blocks.slice(0, nth).some((before) => before.key === key)));

const FieldType = z.object({
  field_type: Slug,
  label: Line,
  blocks: listOf(Block).refine(followsItsOrder, expects('must depend on blocks before them alone')),
  inputs: listOf(Input),
  outputs: listOf(Output),
});

/** The description that a plugin serves at `GET {base_url}/description`. @spec D1-2.11 @gap D2-4.5 */
export const PluginDescription = z.object({
  name: Line,
  public_key: publicKeyOr('request.invalid'),
  field_types: z
    .array(FieldType)
    .min(1)
    .max(PLUGIN_DESCRIPTION.field_types)
    .refine((types) => isDistinct(types.map(({ field_type }) => field_type)), expects('must have field types that differ')),
});
export type PluginDescription = z.infer<typeof PluginDescription>;

/** The answer to a refresh. @gap D2-4.5 */
export const RefreshedPlugin = z.object({
  plugin_id: z.string(),
  name: z.string(),
  field_types: z.array(z.object({ field_type: z.string(), label: z.string() })),
  last_refresh: Timestamp,
});

export const PluginScalar = z.union([z.string().max(PLUGIN_QUESTION.chars), z.number(), z.boolean(), z.null()]);
const byKey = <T extends z.ZodType>(value: T) => z.record(Slug, value);

/**
 * The content of the sealed question, which only the plugin opens. `options` asks what a search_select block offers for a query, `outputs`
 * asks what follows from all picks and values. `picks` has the id of each pick, `values` the typed blocks. @spec D2-4.5 @gap D2-4.5
 */
export const OpenedQuestion = z.object({
  field_type: Slug,
  op: z.enum(['options', 'outputs']),
  block: Slug.optional(),
  query: z.string().max(PLUGIN_QUESTION.chars).default(''),
  picks: byKey(z.string().max(PLUGIN_QUESTION.chars)).default({}),
  values: byKey(PluginScalar).default({}),
  inputs: byKey(PluginScalar).default({}),
  reply_key: publicKeyOr('request.invalid'),
});
export type OpenedQuestion = z.infer<typeof OpenedQuestion>;

/** A choice of a search_select block. @spec D2-4.5 */
export const PluginOption = z.object({ id: z.string(), label: z.string() });

/** The content of the sealed reply. Picks that no longer fit have to be made again. @spec D2-4.5 @gap D2-4.5 */
export const OpenedReply = z.union([
  z.object({ options: z.array(PluginOption), more: z.boolean() }),
  z.object({ outputs: byKey(PluginScalar) }),
  z.object({ picks_invalid: z.literal(true) }),
  z.object({ question_invalid: z.literal(true) }),
]);
export type OpenedReply = z.infer<typeof OpenedReply>;

/** The sealed reply of a plugin. A plugin answers 409 instead when the question was not sealed to its current key. @gap D2-4.5 */
export const PluginReply = z.object({ reply: sealedUpTo(PLUGIN_CALL.reply_bytes, 'request.invalid') });
