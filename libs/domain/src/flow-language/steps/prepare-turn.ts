import { isEmpty } from '../../field-types/json-values.ts';
import { writePlaintext } from '../../field-types/plaintext.ts';
import type { RunSignal } from '../../states/run-status.ts';
import { readAnswer } from '../answers/read-answers.ts';
import { held, type Answers, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { privateKeys } from '../plugins/privacy.ts';
import { boundFaults, type BoundFault } from './bounds.ts';
import { answerFault } from './check-answer.ts';
import { fillDefaults } from './defaults.ts';
import { leafKind, nextNode, type LeafKind, type Next } from './next-node.ts';
import { questionsOf, unanswered, type Question } from './shown.ts';
import { liveAnswers, shownDrafts, type Draft, type Drafts } from './step-values.ts';

/** A step as its party has filled it so far. */
export interface TurnState {
  /** Key of the run's current node. */
  node: string;
  /** The run's answers as this party opened them; those of the current step were saved before. */
  answers: Answers;
  /** What was typed or linked since. */
  drafts: Drafts;
  reference_date: string;
  /** As read with the run. */
  private_slugs?: readonly string[] | null;
  /** Slugs of this step filled from a private source, as by a link to a private profile field. */
  from_private?: ReadonlySet<string>;
}

/** One answer to submit: seal `plaintext` once for each bound party. @spec D2-2.3 */
export interface TurnAnswer {
  slug: string;
  /** Empty when a saved answer is taken back. */
  plaintext: string;
  /** A reference to a file is not sealed: every party gets one to its own upload instead. @spec D2-4.2 */
  is_file: boolean;
  source_private: boolean;
}

/** What to submit. */
export interface ReadyTurn {
  ready: true;
  answers: TurnAnswer[];
  /** The members that say where the run goes. */
  onward: { next_node: string } | { leaf: true };
  /** What the submit means for the run; at a document leaf this party generates next. @spec D2-3 */
  signal: Extract<RunSignal, 'next node'> | LeafKind;
}

/** Why the step cannot continue: all reasons at once. */
export interface NotReady {
  ready: false;
  unanswered: string[];
  invalid: { slug: string; fault: string }[];
  out_of_bounds: BoundFault[];
  /** No edge matches, so the step leads nowhere with these answers. @gap D2-4.2 */
  stuck: boolean;
}

export type PreparedTurn = ReadyTurn | NotReady;

/**
 * What a party submits from its step, or why it cannot yet: the drafts of the questions that are shown, with defaults filled in as a form
 * shows them, checked as a client must (required, type, link, bounds), and the way on by the answers as everybody will hold them then.
 * @spec D2-4.2 @spec D2-7
 */
export function prepareTurn(flow: Flow, state: TurnState): PreparedTurn {
  const node = flow.node(state.node);
  if (!node) throw new Error(`The flow has no node ${state.node}: play the definition that the run is pinned to`);
  const filled = fillDefaults(flow, node, state.answers, state.drafts, state.reference_date);
  const drafts = shownDrafts(flow, node, state.answers, filled, state.reference_date);
  const values = flow.values(liveAnswers(state.answers, drafts), state.reference_date);
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
  const value = held(values, slug);
  const isTyped = question.kind === 'field' && question.link && draft && !draft.linked && !isEmpty(value);
  const fault = isTyped ? `${slug} must be linked from the profile, not typed` : answerFault(question, value, fieldTypes);
  return fault === null ? [] : [{ slug, fault }];
}

/** Only what was drafted is submitted; an empty draft only where it takes something back. */
function answerOf({ kinds }: Flow, { slug }: Question, saved: Answers, drafts: Drafts, source_private: boolean): TurnAnswer[] {
  const draft = Object.hasOwn(drafts, slug) ? drafts[slug] : undefined;
  const kind = kinds.get(slug) ?? 'unknown';
  const [before, now] = [readAnswer(kind, held(saved, slug)), readAnswer(kind, draft?.value)];
  if (!draft || (isEmpty(now) && isEmpty(before))) return [];
  const plaintext = isEmpty(now) ? '' : writePlaintext(now);
  return [{ slug, plaintext, is_file: kind === 'binary' && plaintext !== '', source_private }];
}

const wayOn = (flow: Flow, node: string, next: Exclude<Next, { stuck: true }>): Pick<ReadyTurn, 'onward' | 'signal'> =>
  'leaf' in next ? { onward: { leaf: true }, signal: leafKind(flow, node)! } : { onward: next, signal: 'next node' };
