import {
  fillDefaults,
  prepareTurn,
  questionsOf,
  stepValues,
  type BoundFault,
  type Draft,
  type NotReady,
  type ReadyTurn,
} from '@codase/domain/flow-language';
import { draftsOf, type AnswerFault, type Given } from './given-answers.ts';
import type { OpenedStep } from './present-turn.ts';

type CheckedAnswers = { turn: ReadyTurn } | { faults: AnswerFault[] };

/**
 * Checks the answers of a service or a person of the company as a form would: that each member is a question which is asked now, its type,
 * required members, bounds, and that an edge of the step matches. Nothing has been sealed yet. @spec D2-4.2 @spec D2-7
 */
export function checkAnswers(step: OpenedStep, given: Given, from_private: ReadonlySet<string>): CheckedAnswers {
  const { flow, node, answers, reference_date, private_slugs } = step;
  const drafts = draftsOf(given);
  const strangers = unasked(step, drafts);
  if (strangers.length > 0) return { faults: strangers };
  const turn = prepareTurn(flow, { node: node.key, answers, drafts, reference_date, private_slugs, from_private });
  return turn.ready ? { turn } : { faults: faultsOf(turn) };
}

/** Returns a fault for each answer that is not asked for: the handler means another step, or other answers hide the question. */
function unasked({ flow, node, answers, reference_date }: OpenedStep, drafts: Readonly<Record<string, Draft>>): AnswerFault[] {
  const slugs = new Set(node.elements.flatMap((element) => ('slug' in element ? [element.slug] : [])));
  const filled = fillDefaults(flow, node, answers, drafts, reference_date);
  const shown = questionsOf(flow, node, stepValues(flow, node, answers, filled, reference_date)).map(({ slug }) => slug);
  return Object.keys(drafts).flatMap((slug) => {
    if (!slugs.has(slug)) return [{ slug, fault: `${slug} is no question of the step ${node.key}` }];
    return shown.includes(slug) ? [] : [{ slug, fault: `${slug} is not asked with these answers` }];
  });
}

function faultsOf({ unanswered, invalid, out_of_bounds, stuck }: NotReady): AnswerFault[] {
  const faults = [
    ...unanswered.map((slug) => ({ slug, fault: `${slug} is required` })),
    ...invalid,
    ...out_of_bounds.map((broken) => ({ slug: broken.slug, fault: boundText(broken) })),
  ];
  if (faults.length === 0 && stuck) return [{ slug: 'next', fault: 'no edge of the step matches with these answers' }];
  return faults;
}

const boundText = ({ slug, bound, limit }: BoundFault): string => `${slug} must be ${bound === 'min' ? 'at least' : 'at most'} ${limit}`;
