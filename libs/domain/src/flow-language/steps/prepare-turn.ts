import { isEmpty } from '../../field-types/json-values.ts';
import { writePlaintext } from '../../field-types/plaintext.ts';
import type { RunSignal } from '../../states/run-status.ts';
import { readAnswer } from '../answers/read-answers.ts';
import { ownValue, type Answers, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { privateKeys } from '../plugins/privacy.ts';
import { boundFaults, type BoundFault } from './bounds.ts';
import { atOnce } from '../at-once.ts';
import { answerFault } from './check-answer.ts';
import { fillingDefaults } from './defaults.ts';
import { leafKind, nextNode, type LeafKind, type Next } from './next-node.ts';
import { questionsOf, unanswered, type Question } from './shown-elements.ts';
import { hidingDrafts, type Draft, type Drafts } from './step-values.ts';

/** A step as its party has filled it so far. */
export interface TurnState {
  /** The key of the run's current node. */
  node: string;
  /** The run's answers as this party opened them. Answers of the current step among them were saved before. */
  answers: Answers;
  /** What the party has typed or linked since. */
  drafts: Drafts;
  reference_date: string;
  /** The list that was read with the run. */
  private_slugs?: readonly string[] | null;
  /** Slugs of this step that are filled from a private source, such as a link to a private profile field. */
  from_private?: ReadonlySet<string>;
}

/** One answer to submit. The caller seals `plaintext` once for each bound party. @spec D2-2.3 */
export interface TurnAnswer {
  slug: string;
  /** Empty when a saved answer is removed. */
  plaintext: string;
  /** Whether this is a file reference, which is not sealed: every party gets a reference to its own upload instead. @spec D2-4.2 */
  is_file: boolean;
  source_private: boolean;
}

/** A step that can be submitted. */
export interface ReadyTurn {
  ready: true;
  answers: TurnAnswer[];
  /** The members of the submission that say where the run continues. */
  onward: { next_node: string } | { leaf: true };
  /** What the submission means for the run. At a document leaf, this party generates the documents next. @spec D2-3 */
  signal: Extract<RunSignal, 'next node'> | LeafKind;
}

/** All reasons for which the step cannot be submitted. */
export interface NotReady {
  ready: false;
  unanswered: string[];
  invalid: { slug: string; fault: string }[];
  out_of_bounds: BoundFault[];
  /** Whether no edge matches, so that the run cannot continue with these answers. @gap D2-4.2 */
  stuck: boolean;
}

export type PreparedTurn = ReadyTurn | NotReady;

/**
 * Returns what a party submits from its step, or why it cannot submit yet. It takes the drafts of the questions that are shown, fills in
 * defaults as a form does, checks them as a client must (required, type, link, bounds), and finds where the run continues with the answers
 * that all parties will then have. @spec D2-4.2 @spec D2-7
 */
export const prepareTurn = (flow: Flow, state: TurnState): PreparedTurn => atOnce(preparingTurn(flow, state));

/** Does the same in steps, so that a server can do other work between them. */
export function* preparingTurn(flow: Flow, state: TurnState): Generator<undefined, PreparedTurn> {
  const node = flow.node(state.node);
  if (!node) throw new Error(`The flow has no node ${state.node}: play the definition that the run is pinned to`);
  const filled = yield* fillingDefaults(flow, node, state.answers, state.drafts, state.reference_date);
  const { drafts, values } = yield* hidingDrafts(flow, node, state.answers, filled, state.reference_date);
  const questions = questionsOf(flow, node, values);
  const next = nextNode(flow, node.key, values);
  const faults = {
    unanswered: unanswered(flow, node, values),
    invalid: questions.flatMap((question) => faultOf(flow, question, values, drafts[question.slug])),
    out_of_bounds: boundFaults(flow, node, values, state.reference_date),
  };
  const isSound = Object.values(faults).every((list) => list.length === 0);
  if (!isSound || 'stuck' in next) return { ready: false, ...faults, stuck: 'stuck' in next };
  const isPrivate = privateKeys(flow, { party: node.party, ...state });
  const answers = questions.flatMap((question) => answerOf(flow, question, state.answers, drafts, isPrivate(question.slug)));
  return { ready: true, answers, ...wayOn(flow, node.key, next) };
}

function faultOf({ fieldTypes }: Flow, question: Question, values: Values, draft: Draft | undefined): { slug: string; fault: string }[] {
  const { slug } = question;
  const value = ownValue(values, slug);
  const isTyped = question.kind === 'field' && question.link && draft && !draft.linked && !isEmpty(value);
  const fault = isTyped ? `${slug} must be linked from the profile, not typed` : answerFault(question, value, fieldTypes);
  return fault === null ? [] : [{ slug, fault }];
}

/** Returns the answer to submit for a question, or none without a draft. An empty draft is submitted only if it removes an answer. */
function answerOf({ kinds }: Flow, { slug }: Question, saved: Answers, drafts: Drafts, source_private: boolean): TurnAnswer[] {
  const draft = Object.hasOwn(drafts, slug) ? drafts[slug] : undefined;
  const kind = kinds.get(slug) ?? 'unknown';
  const [before, now] = [readAnswer(kind, ownValue(saved, slug)), readAnswer(kind, draft?.value)];
  if (!draft || (isEmpty(now) && isEmpty(before))) return [];
  const plaintext = isEmpty(now) ? '' : writePlaintext(now);
  return [{ slug, plaintext, is_file: kind === 'binary' && plaintext !== '', source_private }];
}

const wayOn = (flow: Flow, node: string, next: Exclude<Next, { stuck: true }>): Pick<ReadyTurn, 'onward' | 'signal'> =>
  'leaf' in next ? { onward: { leaf: true }, signal: leafKind(flow, node)! } : { onward: next, signal: 'next node' };
