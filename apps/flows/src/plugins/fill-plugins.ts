import { GivenPlugin, type OpenedQuestion, type OpenedReply } from '@codase/contracts';
import {
  fieldsOf,
  fillDefaults,
  pluginInputs,
  privateKeys,
  readsOf,
  stepValues,
  writePluginAnswer,
  type Flow,
  type FlowNode,
  type InputFault,
  type PluginElement,
  type PluginPick,
  type PluginUse,
} from '@codase/domain/flow-language';
import type { z } from 'zod';
import { draftsOf, type AnswerFault, type Given } from '../turns/given-answers.ts';
import type { OpenedStep } from '../turns/present-turn.ts';

/** A question to the plugin of a field. The key for its reply is added when the question is sealed. */
export type Question = Pick<OpenedQuestion, 'op' | 'picks' | 'values' | 'inputs'> & { block?: string; query?: string };
export type AskPlugin = (slug: string, question: Question) => Promise<OpenedReply>;

type Blocks = z.output<typeof GivenPlugin>;
type Faults = { faults: AnswerFault[] };
const isFaulty = <T extends object>(result: T | Faults): result is Faults => 'faults' in result;
const fault = (slug: string, why: string): Faults => ({ faults: [{ slug, fault: `${slug} ${why}` }] });

/**
 * Replaces what was picked and typed in the plugin fields of a step by their answers. It always asks the plugins for the outputs, with the
 * present inputs, so no output is left over from before. @spec D2-4.5.3
 */
export async function fillPlugins(step: OpenedStep, given: Given, from_private: ReadonlySet<string>, ask: AskPlugin) {
  const fields = pluginsInOrder(step.flow, step.node).filter(({ slug }) => isGiven(given[slug]));
  const filled: Record<string, unknown> = { ...given };
  for (const { slug } of fields) delete filled[slug];
  for (const element of fields) {
    const answer = await answerOf(step, element, { given: filled, from_private, blocks: given[element.slug] }, ask);
    if (isFaulty(answer)) return answer;
    filled[element.slug] = answer.text;
  }
  return { given: filled };
}

/** Whether a field is answered. An empty value removes an answer, and the plugin is not asked about that. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

interface Filling {
  given: Given;
  from_private: ReadonlySet<string>;
  blocks: unknown;
}

async function answerOf(step: OpenedStep, element: PluginElement, filling: Filling, ask: AskPlugin): Promise<{ text: string } | Faults> {
  const { slug, plugin } = element;
  const ready = readyPlugin(step, element, filling);
  if (isFaulty(ready)) return ready;
  const { inputs, blocks } = ready;
  const picks = await picksOf(element, ready, ask);
  if (isFaulty(picks)) return picks;
  const reply = await ask(slug, { op: 'outputs', picks: idsOf(picks), values: blocks.values, inputs });
  if (!('outputs' in reply)) return fault(slug, 'cannot be answered with these picks: the plugin does not take them');
  return { text: writePluginAnswer(plugin, { picks, values: blocks.values, outputs: reply.outputs }) };
}

/** The inputs and blocks with which the plugin of a field can be asked. */
interface ReadyPlugin {
  inputs: Record<string, string | number | boolean | null>;
  blocks: Blocks;
}

/**
 * Returns what the plugin of a field is asked with, or why it cannot be asked now. It can be asked when the field is shown, the given
 * blocks are blocks of the field, and every input that it needs can be sent. A private value is never sent as an input.
 * @spec D2-4.5.4 @spec D2-4.5.5
 */
function readyPlugin(step: OpenedStep, element: PluginElement, { given, from_private, blocks }: Filling): ReadyPlugin | Faults {
  const { flow, node, answers, reference_date, private_slugs } = step;
  const { slug, plugin } = element;
  const read = GivenPlugin.safeParse(blocks);
  if (!read.success) return fault(slug, 'must be given as {picks, values}, by the keys of its blocks');
  const stranger = strangerIn(plugin, read.data);
  if (stranger !== undefined) return fault(slug, `has no such block to ${stranger}`);
  const drafts = fillDefaults(flow, node, answers, draftsOf(given), reference_date);
  const values = stepValues(flow, node, answers, drafts, reference_date);
  if (!flow.holds(element.show_if, values)) return fault(slug, 'is not asked with these answers');
  const isPrivate = privateKeys(flow, { party: node.party, node: node.key, private_slugs, from_private });
  const taken = pluginInputs(flow, plugin, values, isPrivate);
  if (taken.ready) return { inputs: taken.inputs, blocks: read.data };
  return { faults: taken.lacking.map(({ input, fault: why }) => ({ slug, fault: `${slug} needs the input ${input}, ${IN_WORDS[why]}` })) };
}

const IN_WORDS: Readonly<Record<InputFault, string>> = {
  unwired: 'which comes from nowhere',
  unanswered: 'which is not answered yet',
  private: 'which is private and is sent to no plugin',
  not_convertible: 'which has another type',
};

/** Returns the first wrong entry: a pick in a block that is typed, a value in a block that is picked, or a block that does not exist. */
function strangerIn({ snapshot }: PluginUse, { picks, values }: Blocks): string | undefined {
  const isPicked = (key: string) => snapshot.blocks.find((block) => block.key === key)?.kind === 'search_select';
  const isTyped = (key: string) => snapshot.blocks.some((block) => block.key === key) && !isPicked(key);
  const pick = Object.keys(picks).find((key) => !isPicked(key));
  const value = Object.keys(values).find((key) => !isTyped(key));
  return pick !== undefined ? `pick from: ${pick}` : value !== undefined ? `type into: ${value}` : undefined;
}

/** Returns the picks in the order of the blocks. The plugin is asked for each pick with the picks before it. */
async function picksOf(
  { slug, plugin }: PluginElement,
  { inputs, blocks }: ReadyPlugin,
  ask: AskPlugin,
): Promise<Record<string, PluginPick> | Faults> {
  const picks: Record<string, PluginPick> = {};
  for (const { key, depends_on = [] } of plugin.snapshot.blocks) {
    const given = blocks.picks[key];
    if (given === undefined) continue;
    const missing = depends_on.find((before) => !picks[before] && blocks.values[before] === undefined);
    if (missing !== undefined) return fault(slug, `cannot be picked in ${key} before ${missing} is filled`);
    const search = (query: string) => ask(slug, { op: 'options', block: key, query, picks: idsOf(picks), values: blocks.values, inputs });
    const pick = typeof given === 'string' ? await findPick(given, search) : given;
    if (!pick) return fault(slug, `has no option of that label or id in ${key}`);
    picks[key] = pick;
  }
  return picks;
}

/** Finds an option by its label or its id. Plugins search for words in labels, so an id is searched for among all offered options. */
async function findPick(wanted: string, search: (query: string) => Promise<OpenedReply>): Promise<PluginPick | undefined> {
  for (const query of [wanted, '']) {
    const reply = await search(query);
    const found = 'options' in reply ? reply.options.find(({ id, label }) => id === wanted || label === wanted) : undefined;
    if (found) return found;
  }
  return undefined;
}

const idsOf = (picks: Readonly<Record<string, PluginPick>>): Record<string, string> =>
  Object.fromEntries(Object.entries(picks).map(([key, { id }]) => [key, id]));

/** A question about a plugin field, asked while a step is filled in: for the options of a block, or for the outputs. */
export interface FieldQuestion extends Blocks {
  slug: string;
  block?: string | undefined;
  query: string;
  answers: Given;
}
/** The reply to such a question. `more` says that the list of options was cut. @spec D2-4.5.3 */
export type FieldReply = { options: PluginPick[]; more: boolean } | { outputs: Record<string, string | number | boolean | null> };

/** Asks the plugin of a field, with the answers that the step would have. */
export async function askField(
  step: OpenedStep,
  { slug, block, query, answers, ...blocks }: FieldQuestion,
  from_private: ReadonlySet<string>,
  ask: AskPlugin,
): Promise<FieldReply | Faults> {
  const element = step.node.elements.find((one): one is PluginElement => one.kind === 'plugin' && one.slug === slug);
  if (!element) return fault(slug, `is no plugin field of the step ${step.node.key}`);
  if (block !== undefined && !isOffering(element, block)) return fault(slug, `has no such block to pick from: ${block}`);
  const { [slug]: _, ...others } = answers;
  const filled = await fillPlugins(step, others, from_private, ask);
  if (isFaulty(filled)) return filled;
  const ready = readyPlugin(step, element, { given: filled.given, from_private, blocks });
  if (isFaulty(ready)) return ready;
  const picks = await picksOf(element, ready, ask);
  if (isFaulty(picks)) return picks;
  const what = block === undefined ? { op: 'outputs' as const } : { op: 'options' as const, block, query };
  const reply = await ask(slug, { ...what, picks: idsOf(picks), values: blocks.values, inputs: ready.inputs });
  const isAnswered = block === undefined ? 'outputs' in reply : 'options' in reply;
  return isAnswered ? (reply as FieldReply) : fault(slug, 'cannot be asked with these picks: the plugin does not take them');
}

const isOffering = ({ plugin }: PluginElement, key: string): boolean =>
  plugin.snapshot.blocks.some((block) => block.key === key && block.kind === 'search_select');

/**
 * Returns the plugin fields of a step, each after the fields that it depends on. A field depends on others by its inputs or its `show_if`,
 * directly or through constants and defaults. There are no cycles, because a flow with one cannot be published. @spec D2-7
 */
function pluginsInOrder(flow: Flow, node: FlowNode): PluginElement[] {
  const elements = node.elements.filter((element) => element.kind === 'plugin');
  const sources = sourcesOf(flow, node);
  const [ordered, seen] = [[] as PluginElement[], new Set<string>()];
  const visit = (key: string): void => {
    const known = sources.has(key) ? key : key.split('.')[0]!;
    if (seen.has(known)) return;
    seen.add(known);
    for (const read of sources.get(known) ?? []) visit(read);
    const element = elements.find(({ slug }) => slug === known);
    if (element) ordered.push(element);
  };
  for (const { slug } of elements) visit(slug);
  return ordered;
}

/** Returns the keys from which each field of the step, and each constant, is computed. */
function sourcesOf({ definition }: Flow, { elements }: FlowNode): Map<string, Iterable<string>> {
  const sources = new Map<string, Iterable<string>>(definition.constants.map(({ key, expr }) => [key, readsOf(expr)]));
  for (const element of elements) {
    if (element.kind !== 'field' && element.kind !== 'plugin') continue;
    const shown = element.show_if ? fieldsOf(element.show_if) : [];
    const own = element.kind === 'plugin' ? Object.values(element.plugin.inputs) : element.default ? readsOf(element.default) : [];
    sources.set(element.slug, [...shown, ...own]);
  }
  return sources;
}
