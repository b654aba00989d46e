import {
  fillDefaults,
  keyTextOf,
  plainText,
  prepareTurn,
  shownConstants,
  shownElements,
  stepValues,
  type Answers,
  type Drafts,
  type Flow,
} from '@codase/domain/flow-language';

/** What the form of one step needs of its run, all in plaintext. */
interface Step {
  node: string;
  answers: Answers;
  reference_date: string;
}

/** Returns what a form shows after every input. `drafts` is the state of the form: begin with none, and keep those that are returned. */
export function drawStep(flow: Flow, { node: key, answers, reference_date }: Step, typed: Drafts) {
  const node = flow.node(key)!;
  const drafts = fillDefaults(flow, node, answers, typed, reference_date);
  const values = stepValues(flow, node, answers, drafts, reference_date);
  const lines = shownElements(flow, node, values).flatMap((element) => {
    if (element.kind === 'text') return [plainText(element.text, keyTextOf(flow, values))];
    return element.kind === 'field' ? [`${element.label}: ${String(drafts[element.slug]?.value ?? '')}`] : [];
  });
  const constants = shownConstants(flow, key, values).map(({ label, value }) => `${label} = ${value ?? '(pending)'}`);
  return { drafts, lines: [...lines, ...constants] };
}

/**
 * Returns what the button of the form sends, or the sentences that the form shows instead. Seal each plaintext for every bound party, then
 * add `onward`.
 */
export function pressContinue(flow: Flow, step: Step, drafts: Drafts) {
  const turn = prepareTurn(flow, { ...step, drafts, private_slugs: [] });
  if (turn.ready) return { answers: turn.answers.map(({ slug, plaintext }) => [slug, plaintext]), ...turn.onward };
  return [
    ...turn.unanswered.map((slug) => `${slug} is required`),
    ...turn.invalid.map(({ fault }) => fault),
    ...turn.out_of_bounds.map(({ slug, bound, limit }) => `${slug} has a ${bound} of ${limit}`),
    ...(turn.stuck ? ['with these answers the flow does not go on'] : []),
  ];
}
