// Answers and values cannot be used in place of each other. This file shows what must compile and what must not.
import {
  chooseOutputs,
  fillDefaults,
  availableSources,
  nextNode,
  prepareTurn,
  unanswered,
  type Answers,
  type Flow,
  type FlowNode,
  type Values,
} from './index.ts';

export const answers: Answers = { rent: '800' };
export const values = (flow: Flow): Values => flow.values(answers, '2026-03-01');

// @ts-expect-error a record is not values: constants and dotted keys are missing
export const notYet: Values = { rent: '800' };
// @ts-expect-error nor are answers
export const stillNot: Values = answers;
// @ts-expect-error values are not answers: constants are never submitted
export const noMore = (flow: Flow): Answers => values(flow);

export const calls = (flow: Flow, node: FlowNode) => [
  // @ts-expect-error edges see values
  nextNode(flow, node.key, answers),
  // @ts-expect-error so do questions
  unanswered(flow, node, answers),
  // @ts-expect-error and rules
  chooseOutputs(flow, node, { values: answers, language: 'en', held: new Set() }),
  // @ts-expect-error defaults are filled over answers
  fillDefaults(flow, node, values(flow), {}, '2026-03-01'),
  // @ts-expect-error a turn is prepared from answers
  prepareTurn(flow, { node: node.key, answers: values(flow), drafts: {}, reference_date: '2026-03-01' }),
  // @ts-expect-error files are held by answers
  availableSources(node, { answers: values(flow), source_files: {} }),
];
