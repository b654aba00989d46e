import { setTimeout as pause } from 'node:timers/promises';
import { emit } from '@codase/platform';
import { Agent, request } from 'undici';
import { bench, type Contender, type Sample } from './harness/bench.ts';
import { sharedNow } from './harness/shared-now.ts';
import { Endpoint } from './webhooks/endpoint.ts';
import { Failing } from './webhooks/failing.ts';
import { Graphile } from './webhooks/graphile.ts';
import { deliverAll, eventNumbered, Numbering, type Deliverer } from './webhooks/load.ts';
import { COMPANY, Ours } from './webhooks/ours.ts';
import { PgBossQueue } from './webhooks/pg-boss.ts';

const WEBHOOKS = Number(process.env['CODASE_BENCH_WEBHOOKS'] ?? 10_000);
const EVENTS_EACH = 2;
const EVENTS_OF_ONE = 400;
/** How long the endpoint takes to answer: long enough that a second simultaneous POST to the same webhook would be seen. */
const ANSWER_MS = 2;

const IDLE_EVENTS = 40;
const IDLE_PAUSE_MS = 15;

async function setup() {
  const [endpoint, agent] = [await Endpoint.open(), new Agent({ pipelining: 1 })];
  const post = posting(endpoint.answering(200, ANSWER_MS), agent);
  const ours = await Ours.open();
  const hooks = await ours.addService('ser_many', WEBHOOKS, endpoint.answering(200, ANSWER_MS));
  const [one] = await ours.addService('ser_one', 1, endpoint.answering(200, ANSWER_MS));
  const [idle] = await ours.addService('ser_idle', 1, endpoint.answering(200, 0));
  const graphile = await Graphile.open(post);
  const boss = await PgBossQueue.open(post);
  const failing = await Failing.add(ours, endpoint);
  return { endpoint, agent, post, ours, graphile, boss, hooks, one: one!, idle: idle!, failing, numbering: new Numbering() };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Makes the function that a peer runs for each job: the same POST of the same event. */
const posting = (url: string, dispatcher: Agent) => async (hook: string, number: number) => {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-platform-webhook-id': hook,
    'user-agent': 'company-data-service',
  };
  const body = JSON.stringify({ id: 'evt_0123456789ABCDEFGHIJKLMN', ...eventNumbered(number) });
  const answer = await request(url, { method: 'POST', headers, body, dispatcher });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the endpoint answered ${answer.statusCode}`);
};

const many =
  (by: (state: State) => Deliverer): Contender<State> =>
  ({ state }) =>
    deliverAll(by(state), state.endpoint, state.numbering.next(state.hooks, EVENTS_EACH));

/** Sends POSTs one after the other, and does nothing else. */
const barePosts: Contender<State> = async ({ state }) => {
  const { first, each } = state.numbering.next(['wh_bare'], EVENTS_OF_ONE);
  for (let number = first; number < first + each; number += 1) await state.post('wh_bare', number);
  return { operations: EVENTS_OF_ONE };
};

/** Measures the milliseconds from the commit of a change to the 200 of its delivery, when nothing else is under way. */
async function commitToAnswer({ db }: Ours, endpoint: Endpoint, hook: string, numbering: Numbering): Promise<Sample> {
  const { first } = numbering.next([hook], IDLE_EVENTS);
  const latencies: number[] = [];
  for (let number = first; number < first + IDLE_EVENTS; number += 1) {
    const { delivered } = await endpoint.seen();
    const change = db.createQueryRunner();
    await change.startTransaction();
    await emit(change.manager, [
      { company_user_id: COMPANY, service_id: 'ser_idle', event: { ...eventNumbered(number), at: new Date().toISOString() } },
    ]);
    const committing = sharedNow();
    await change.commitTransaction();
    await change.release();
    latencies.push((await endpoint.seen(delivered + 1)).answeredAt - committing);
    await pause(IDLE_PAUSE_MS);
  }
  return { operations: IDLE_EVENTS, latencies };
}

/** Measures ours and its peers, each with its own Postgres, all posting to one endpoint in its own process. */
export default bench({
  name: 'webhooks',
  what:
    `events delivered to ${WEBHOOKS.toLocaleString('en')} webhooks in order, against graphile-worker and pg-boss; to one, when idle, ` +
    'and when half of them fail',
  unit: 'deliveries/s',
  rounds: 3,
  setup,
  teardown: async ({ endpoint, agent, ours, graphile, boss }) => {
    await Promise.all([ours.close(), graphile.close(), boss.close()]);
    await Promise.all([agent.destroy(), endpoint.close()]);
  },
  contenders: {
    'graphile-worker': many(({ graphile }) => graphile),
    'pg-boss': many(({ boss }) => boss),
    ours: many(({ ours }) => ours),
    'bare POSTs': barePosts,
    'one webhook': ({ state: { ours, endpoint, one, numbering } }: { state: State }) =>
      deliverAll(ours, endpoint, numbering.next([one], EVENTS_OF_ONE)),
    idle: ({ state: { ours, endpoint, idle, numbering } }: { state: State }) => commitToAnswer(ours, endpoint, idle, numbering),
    'all well': ({ state: { failing, numbering } }: { state: State }) => failing.allWell(numbering),
    'half failing': ({ state: { failing, numbering } }: { state: State }) => failing.halfFailing(numbering),
  },
  bar: [
    { name: 'deliveries over graphile-worker', of: 'ours', over: 'graphile-worker', atLeast: 1.4 },
    { name: 'database CPU over graphile-worker', figure: 'database_us', of: 'ours', over: 'graphile-worker', atMost: 0.4 },
    { name: 'deliveries over pg-boss', of: 'ours', over: 'pg-boss', atLeast: 1 },
    { name: 'two at once to one webhook', figure: 'overlaps', of: 'ours', atMost: 0, everyRound: true },
    { name: 'out of order', figure: 'disordered', of: 'ours', atMost: 0, everyRound: true },
    { name: 'one webhook over bare POSTs', of: 'one webhook', over: 'bare POSTs', atLeast: 0.5 },
    { name: 'commit to 200 when idle, half of them within ms', figure: 'p50_ms', of: 'idle', atMost: 5 },
    { name: 'POSTs to a failing webhook', figure: 'posts_each', of: 'half failing', atMost: 1, everyRound: true },
    { name: 'the others when half fail, over all well', of: 'half failing', over: 'all well', atLeast: 0.8 },
  ],
});
