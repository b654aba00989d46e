import { runs, type Run } from '@codase/contracts';
import type { Backend } from '@codase/testing';
import type { HandledCorrespondence } from '../suite/effects.ts';
import { addUp, NO_FAULTS, tally, type Judgement } from '../tally.ts';
import { everyPage, untilAnswered } from '../until-answered.ts';
import { scanOf, type StartedRun } from './flow-player.ts';
import { priceOf } from './order-flow.ts';

const textsOf = ({ quantity }: StartedRun) => ({ quantity: String(quantity), price: String(priceOf(quantity)), agrees: 'yes' });
const slugsOf = (run: StartedRun) => [...Object.keys(textsOf(run)), ...(run.hasScan ? ['scan'] : [])];

/** How often the company's own service gets each kind of event of a run. */
const HEARD = { 'turn of customer': 2, 'turn of company': 1, run: 1 };

/** Judges whether each started run has ended once, and each turn and end was handled once. A run that nobody started is duplicated. */
export async function judgeEnds(
  shop: Backend,
  flow_id: string,
  started: readonly StartedRun[],
  handled: readonly HandledCorrespondence[],
): Promise<Judgement> {
  const listed = await everyPage((paging) => shop.asks(runs.listRuns, { query: paging }));
  const known = new Set(started.map(({ id }) => id));
  const ofFlow = listed.filter((run) => run.flow_id === flow_id);
  const ended = new Set(ofFlow.filter(({ status }) => status === 'completed').map(({ id }) => id));
  const heard = handled.filter(({ kind }) => kind in HEARD);
  const times = new Map<string, number>();
  for (const { kind, name } of heard) times.set(`${kind} ${name}`, (times.get(`${kind} ${name}`) ?? 0) + 1);
  const missing = [...known].flatMap((id) => Object.entries(HEARD).map(([kind, often]) => often - (times.get(`${kind} ${id}`) ?? 0)));
  return {
    lost: missing.filter((n) => n > 0).reduce((a, b) => a + b, 0) + started.filter(({ id }) => !ended.has(id)).length,
    duplicated:
      missing.filter((n) => n < 0).reduce((a, b) => a - b, 0) +
      ofFlow.filter(({ id }) => !known.has(id)).length +
      (started.length - known.size),
    disordered: 0,
    wrong: heard.filter(({ name }) => !known.has(name)).length,
  };
}

/** Judges whether each party of a run has each answer and each file once, with the right content. @spec D2-2.2 */
export async function judgeAnswers(shop: Backend, started: readonly StartedRun[]): Promise<Judgement> {
  let total = NO_FAULTS;
  for (const one of started) {
    const run = await untilAnswered(() => shop.flows.reads(one));
    const read = await untilAnswered(() => one.person.flows.reads(one.connection, one));
    for (const { answers } of [run, read]) {
      const effects = answers.map(({ slug }) => ({ message_id: slug, key: '', n: 0 }));
      total = addUp(total, { ...tally(slugsOf(one), effects), wrong: 0 });
    }
    total = addUp(total, { ...NO_FAULTS, wrong: await wrongTexts(shop, one, run) });
  }
  return total;
}

async function wrongTexts(shop: Backend, one: StartedRun, run: Run): Promise<number> {
  const own = run.answers.filter(({ for_user_id }) => for_user_id === run.company_user_id);
  const answered = Object.entries(textsOf(one)).map(async ([slug, text]) => {
    const answer = own.find((copy) => copy.slug === slug);
    return answer === undefined || (await shop.opens(answer.value)) === text;
  });
  return [...(await Promise.all(answered)), await isScanRight(shop, one)].filter((isRight) => !isRight).length;
}

async function isScanRight(shop: Backend, { id, quantity, hasScan }: StartedRun): Promise<boolean> {
  if (!hasScan) return true;
  const params = { runId: id, slug: 'scan' };
  const { value } = (await untilAnswered(() => shop.asks(runs.readAnswerFile, { params }))) as { value: string };
  return (await shop.opens(value)) === scanOf(quantity);
}
