import type { FlowPreview } from '@codase/contracts';
import {
  chooseOutputs,
  fillingDefaults,
  hidingDrafts,
  keyTextOf,
  participantSources,
  plainText,
  preparingTurn,
  readAnswer,
  shownConstants,
  shownElements,
  signingLine,
  type Drafts,
  type Element,
  type Flow,
  type FlowNode,
  type KeyText,
  type NotReady,
  type ReadyTurn,
  type TagValues,
} from '@codase/domain/flow-language';

/** The values that an author makes up to play a step. */
interface MadeUp {
  answers: Readonly<Record<string, string>>;
  step: Readonly<Record<string, string>>;
  /** The values that party tags show. */
  tag_values: Readonly<Record<string, string>>;
  reference_date: string;
  language: string | null;
}

/** Returns a step as its party would see it, and what submitting it would do, bit by bit: the largest drafts take long. @spec D2-4.2 */
export function* previewing(flow: Flow, node: FlowNode, given: MadeUp): Generator<undefined, FlowPreview> {
  const madeUp = { ...given, answers: requestedValues(flow, given.answers), step: requestedValues(flow, given.step) };
  const { answers, step, reference_date } = madeUp;
  const typed: Drafts = Object.fromEntries(
    Object.entries(step).map(([slug, value]) => [slug, { value: read(flow, slug, value), linked: true }]),
  );
  const drafts = yield* fillingDefaults(flow, node, answers, typed, reference_date);
  const { values } = yield* hidingDrafts(flow, node, answers, drafts, reference_date);
  const keyText = keyTextOf(flow, values, tagValuesOf(madeUp.tag_values));
  const turn = yield* preparingTurn(flow, { node: node.key, answers, drafts, reference_date, private_slugs: [] });
  return {
    node: node.key,
    party: node.party,
    title: node.title,
    elements: shownElements(flow, node, values).map((element) => shown(element, keyText)),
    constants: shownConstants(flow, node.key, values),
    problems: turn.ready ? [] : problemsOf(turn),
    next: turn.ready ? nextOf(flow, node, turn, madeUp) : null,
  };
}

/** Returns the values that the draft has a question for. No other value can be an answer of a run. */
const requestedValues = ({ kinds }: Flow, values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => kinds.has(slug)));
const read = ({ kinds }: Flow, slug: string, value: string) => readAnswer(kinds.get(slug) ?? 'unknown', value);
const tagValuesOf = (values: MadeUp['tag_values']): TagValues =>
  Object.fromEntries(Object.entries(values).map(([tag, v]) => [tag, { v, t: 'text' }]));

function shown(element: Element, keyText: KeyText): FlowPreview['elements'][number] {
  const kind = element.kind as FlowPreview['elements'][number]['kind']; // a draft that can be played has no other kinds
  const [slug, label] = ['slug' in element ? element.slug : null, 'label' in element ? element.label : null];
  const text = element.kind === 'text' ? plainText(element.text, keyText) : null;
  return { kind, slug, label, text, value: slug === null ? null : keyText(slug) };
}

const problemsOf = ({ unanswered, invalid, out_of_bounds, stuck }: NotReady): FlowPreview['problems'] => [
  ...unanswered.map((slug) => ({ slug, problem: 'must be answered' })),
  ...invalid.map(({ slug, fault }) => ({ slug, problem: fault })),
  ...out_of_bounds.map(({ slug, bound, limit }) => ({ slug, problem: `has a ${bound} of ${limit}` })),
  ...(stuck ? [{ slug: null, problem: 'with these answers no edge leads on' }] : []),
];

type Next = NonNullable<FlowPreview['next']>;

function nextOf(flow: Flow, node: FlowNode, turn: ReadyTurn, madeUp: MadeUp): Next {
  const answers = { ...madeUp.answers, ...Object.fromEntries(turn.answers.map(({ slug, plaintext }) => [slug, plaintext])) };
  const on = { answers, documents: [], signing_line: [] };
  if ('next_node' in turn.onward) {
    const next = flow.node(turn.onward.next_node)!;
    return { ...on, status: `awaiting_${next.party}`, node: next.key };
  }
  if (turn.signal === 'data leaf') return { ...on, status: 'completed', node: null };
  return { ...on, status: 'generating', node: null, ...outputsOf(flow, node, answers, madeUp) };
}

/** Returns the documents and the signing line of a leaf. Every source counts as held, since a preview has no shared or uploaded files. */
function outputsOf(flow: Flow, leaf: FlowNode, answers: Record<string, string>, { reference_date, language }: MadeUp) {
  const sources = new Set(participantSources(leaf).map(({ source_key }) => source_key));
  const outputs = chooseOutputs(flow, leaf, { values: flow.values(answers, reference_date), language, available: sources });
  const everybody = flow.definition.parties.map(({ key }) => key);
  const documents = outputs.map(({ output_key, name, rule, source }) => ({
    output_key,
    name,
    rule,
    source: source.kind === 'asset' ? source.asset_key : source.source_key,
  }));
  return { documents, signing_line: signingLine(outputs, everybody) };
}
