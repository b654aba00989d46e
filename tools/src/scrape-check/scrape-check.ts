import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO, tracesUrl, UNIT_NAMES, type RunningStack } from '@codase/stack';
import { DASHBOARDS } from '../boards/dashboards.ts';
import { alertsIn } from '../deploy-check/alert-problems.ts';
import { problemOf, questionsOf } from './expressions.ts';
import { Prometheus, type Target } from './prometheus.ts';
import { besideStack } from './running-stack.ts';
import { Traffic } from './traffic.ts';

/** The rounds of traffic, and the pause between them: enough for every series to get its second sample, without which it has no rate. */
const ROUNDS = 12;
const PAUSE_MS = 2500;
const INTERVAL = '5m';
/** The series that a person looks at when something is slow: their exemplars are checked. */
const WITH_EXEMPLARS = ['http_server_request_duration_seconds_bucket', 'codase_bus_answer_duration_seconds_bucket'];

/** How many queries the check made, and what is wrong with the answers. */
interface ScrapeCheck {
  queries: number;
  problems: string[];
}

/** Runs a stack, lets traffic flow, scrapes the stack with a real Prometheus and makes every query of the boards and alerts. */
export const scrapeCheck = (root: string, program: string, signal: AbortSignal, say: (line: string) => void): Promise<ScrapeCheck> =>
  besideStack({ name: 'scrape-check', signal, say }, async (stack, folder) => {
    const prometheus = await Prometheus.start(program, join(folder, 'prometheus'), targetsOf(stack));
    try {
      await flow(stack, signal, say);
      return await ask(root, stack, prometheus);
    } finally {
      await prometheus.stop();
    }
  });

const targetsOf = ({ ports }: RunningStack): Target[] => [
  ...UNIT_NAMES.map((app) => ({ app, port: ports.ops[app] })),
  { app: DEMO.consumer, port: ports.example },
];

async function flow(stack: RunningStack, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  const traffic = await Traffic.open(stack);
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      signal.throwIfAborted();
      say(`edits, tokens, webhooks, logins: ${round} of ${ROUNDS}`);
      await traffic.round();
      await sleep(PAUSE_MS);
    }
    await sleep(2 * PAUSE_MS);
  } finally {
    await traffic.close();
  }
}

async function ask(root: string, stack: RunningStack, prometheus: Prometheus): Promise<ScrapeCheck> {
  const questions = questionsOf(DASHBOARDS, alertsIn(root), INTERVAL);
  const problems: string[] = [];
  for (const question of questions) {
    const problem = problemOf(question, await prometheus.ask(question.expression));
    if (problem) problems.push(problem);
  }
  for (const metric of WITH_EXEMPLARS) problems.push(...(await exemplarProblems(stack, prometheus, metric)));
  return { queries: questions.length + WITH_EXEMPLARS.length, problems };
}

async function exemplarProblems(stack: RunningStack, prometheus: Prometheus, metric: string): Promise<string[]> {
  const traces = await prometheus.tracesOf(metric);
  if (traces.length === 0) return [`Prometheus has no exemplar of ${metric}.`];
  const kept = (await (await fetch(`${tracesUrl(stack.ports)}/traces/${traces.at(-1)}`)).json()) as unknown[];
  return kept.length > 0 ? [] : [`The exemplar of ${metric} leads to the trace ${traces.at(-1)}, which nobody recorded.`];
}
