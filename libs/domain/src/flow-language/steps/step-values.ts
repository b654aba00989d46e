import type { FlowNode } from '../definition/definition.ts';
import type { Answers, Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { questionsOf } from './shown-elements.ts';

/** What a field of the current step holds before it is submitted. */
export interface Draft {
  value: unknown;
  /** The value that the default last wrote into the field. */
  written?: string;
  /** Whether a link to the person's profile is selected. */
  linked?: boolean;
}
export type Drafts = Readonly<Record<string, Draft>>;

/** Returns the answers so far, replaced by the drafts of the current step where there are any. */
export const liveAnswers = (answers: Answers, drafts: Drafts): Answers => ({
  ...answers,
  ...Object.fromEntries(Object.entries(drafts).map(([slug, { value }]) => [slug, value])),
});

/**
 * Returns the drafts that would be submitted now. The draft of a question that is not shown is left out, and without it other questions may
 * no longer be shown either.
 */
export function shownDrafts(flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts, reference_date: string): Drafts {
  let live = drafts;
  for (;;) {
    const values = flow.values(liveAnswers(answers, live), reference_date);
    const shown = new Set(questionsOf(flow, node, values).map(({ slug }) => slug));
    const kept = Object.entries(live).filter(([slug]) => shown.has(slug));
    if (kept.length === Object.keys(live).length) return live;
    live = Object.fromEntries(kept); // it gets smaller each time, so the loop ends
  }
}

/**
 * Returns the values of a step while it is filled in: exactly those that all parties see if it is submitted now. Recompute it on every
 * input.
 * @spec D2-7
 */
export const stepValues = (flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts, reference_date: string): Values =>
  flow.values(liveAnswers(answers, shownDrafts(flow, node, answers, drafts, reference_date)), reference_date);
