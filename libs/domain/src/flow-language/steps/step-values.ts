import type { FlowNode } from '../definition/definition.ts';
import type { Answers, Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { questionsOf } from './shown.ts';

/** What a field of the current step holds before it is submitted. */
export interface Draft {
  value: unknown;
  /** What the default last wrote here. */
  written?: string;
  /** Whether a link to the person's profile is selected. */
  linked?: boolean;
}
export type Drafts = Readonly<Record<string, Draft>>;

/** The answers so far with the current step's drafts over them. */
export const liveAnswers = (answers: Answers, drafts: Drafts): Answers => ({
  ...answers,
  ...Object.fromEntries(Object.entries(drafts).map(([slug, { value }]) => [slug, value])),
});

/** The drafts that would be submitted now: one of a question that is not shown is not, and what it hides in turn is not either. */
export function shownDrafts(flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts, reference_date: string): Drafts {
  let live = drafts;
  for (;;) {
    const values = flow.values(liveAnswers(answers, live), reference_date);
    const shown = new Set(questionsOf(flow, node, values).map(({ slug }) => slug));
    const kept = Object.entries(live).filter(([slug]) => shown.has(slug));
    if (kept.length === Object.keys(live).length) return live;
    live = Object.fromEntries(kept); // it shrinks each time, so this ends
  }
}

/**
 * What a step sees while it is filled: exactly what everybody will see once it is submitted as it stands. Recompute it on every input.
 * @spec D2-7
 */
export const stepValues = (flow: Flow, node: FlowNode, answers: Answers, drafts: Drafts, reference_date: string): Values =>
  flow.values(liveAnswers(answers, shownDrafts(flow, node, answers, drafts, reference_date)), reference_date);
