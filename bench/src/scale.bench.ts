import { setTimeout as pause } from 'node:timers/promises';
import { bench, type Contender } from './harness/bench.ts';
import { quantile } from './harness/statistics.ts';
import { ScaleStack, serviceNamed } from './scale/scale-stack.ts';

const PORT = 15_100;
const MOST = 1000;
/** Two idle rounds of every service, at least. */
const LEAST_SECONDS = 10;
const FLOODED = 10;
const PROBES = 50;
const [NOISY, QUIET] = [serviceNamed(0), serviceNamed(1)];

async function setup() {
  return { stack: await ScaleStack.open(PORT, MOST), one: { cores: 0, mb: 0 } };
}
type State = Awaited<ReturnType<typeof setup>>;

const idle =
  (services: number): Contender<State> =>
  async ({ state: { stack, one }, seconds }) => {
    await stack.run(services);
    const [drains, took] = [stack.feeds.drains, Math.max(seconds, LEAST_SECONDS)];
    const used = await stack.idle(took);
    const [cores, mb] = [used.feed_cores + used.decryptor_cores, used.feed_mb + used.decryptor_mb];
    if (services === 1) Object.assign(one, { cores, mb });
    const each = { us_each: (1e6 * (cores - one.cores)) / services, kb_each: (1024 * (mb - one.mb)) / services };
    return { operations: stack.feeds.drains - drains, seconds: took, figures: { ...used, cores, more_mb: mb - one.mb, ...each } };
  };

/** How much longer a service waits while another floods: for its events, and for its values. */
const flood: Contender<State> = async ({ state: { stack } }) => {
  await stack.run(FLOODED);
  const before = { events: await probe(() => stack.publishes(QUIET)), values: await probe(() => stack.opens(QUIET)) };
  stack.feeds.flooding = NOISY;
  await pause(2000);
  const events = await probe(() => stack.publishes(QUIET));
  stack.feeds.flooding = undefined;
  const over = new AbortController();
  const flooding = stack.floods(NOISY, over.signal);
  await pause(1000);
  const values = await probe(() => stack.opens(QUIET));
  over.abort();
  await flooding;
  return { operations: 4 * PROBES, figures: { events_ms: events - before.events, values_ms: values - before.values } };
};

/** The 90th percentile of one after the other. */
async function probe(work: () => Promise<number>): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < PROBES; nth += 1) took.push(await work());
  return quantile(took, 0.9);
}

/** What services cost that have nothing to do, and whether one that has much to do holds up the others. The gateway is played. */
export default bench({
  name: 'scale',
  what: 'one feed consumer and one decryptor of 1, 10, 100 and 1,000 idle services that are drained; and of ten, one of which floods',
  unit: 'drains/s',
  seconds: 60,
  rounds: 1,
  setup,
  teardown: ({ stack }) => stack.close(),
  contenders: { '1 service': idle(1), '10 services': idle(10), '100 services': idle(100), '1,000 services': idle(MOST), flood },
  bar: [
    { name: 'cores for 1,000 idle services', of: '1,000 services', figure: 'cores', atMost: 0.1 },
    { name: 'MB for 1,000 idle services beyond one', of: '1,000 services', figure: 'more_mb', atMost: 150 },
    { name: 'ms that a flood delays the events of another service', of: 'flood', figure: 'events_ms', atMost: 100 },
    { name: 'ms that a flood delays the values of another service', of: 'flood', figure: 'values_ms', atMost: 100 },
  ],
});
