import { setTimeout as pause } from 'node:timers/promises';
import { bench, type Contender, type Figures } from './harness/bench.ts';
import { quantile } from './harness/statistics.ts';
import { IDLE_SECONDS, ScaleStack, serviceNamed } from './scale/scale-stack.ts';

const PORT = 15_100;
const MAX = 1000;
/** Enough time for at least two idle rounds of every service. */
const MIN_SECONDS = 10;
const FLOODED = 10;
const PROBES = 50;
/** The time limit for all probes of a kind, however slow one is, so that a bar that is missed by far fails soon. */
const PROBES_MS = 30_000;
const MIN_PROBES = 5;
const [NOISY, QUIET] = [serviceNamed(0), serviceNamed(1)];

interface State {
  stack: ScaleStack;
}

const idle =
  (services: number): Contender<State> =>
  async ({ state: { stack }, seconds }) => {
    const started = await stack.run(services);
    const [before, took] = [stack.feeds.drains, Math.max(seconds, MIN_SECONDS)];
    const used = await stack.idle(took);
    const drains = stack.feeds.drains - before;
    const [cores, mb] = [used.feed_cores + used.decryptor_cores, used.feed_mb + used.decryptor_mb];
    const each = { of_due: drains / ((services * took) / IDLE_SECONDS), drain_us: (1e6 * used.feed_cores * took) / drains };
    return { operations: drains, seconds: took, figures: { cores, mb, ...each, ...used, ...started } };
  };

/** Measures how much longer a service waits while another floods. Values come first: a flood of events leaves work that takes long. */
const flood: Contender<State> = async ({ state: { stack } }) => {
  await stack.run(FLOODED);
  const [quietEvents, quietValues] = [await probe(() => stack.publishes(QUIET)), await probe(() => stack.opens(QUIET))];
  const over = new AbortController();
  const flooding = stack.floods(NOISY, over.signal);
  await pause(1000);
  const values = await probe(() => stack.opens(QUIET));
  over.abort();
  await flooding;
  stack.feeds.flooding = NOISY;
  await pause(2000);
  const events = await probe(() => stack.publishes(QUIET));
  stack.feeds.flooding = undefined;
  const figures = { events_ms: events.p90 - quietEvents.p90, values_ms: values.p90 - quietValues.p90 };
  return {
    operations: events.probes + values.probes,
    figures: { ...figures, quiet_events_ms: quietEvents.p90, quiet_values_ms: quietValues.p90 },
  };
};

/** Returns the 90th percentile of probes that run one after the other. */
async function probe(work: () => Promise<number>): Promise<{ p90: number; probes: number }> {
  const [took, start]: [number[], number] = [[], performance.now()];
  while (took.length < MIN_PROBES || (took.length < PROBES && performance.now() - start < PROBES_MS)) took.push(await work());
  return { p90: quantile(took, 0.9), probes: took.length };
}

const beyondOne = (services: number, some: Figures, one: Figures): Figures => ({
  more_mb: some['mb']! - one['mb']!,
  us_each: (1e6 * (some['cores']! - one['cores']!)) / services,
  kb_each: (1024 * (some['mb']! - one['mb']!)) / services,
});

/** Measures the cost of idle services, and whether a busy one delays others. All share a key: a thousand take minutes to make. */
export default bench({
  name: 'scale',
  what: 'one feed consumer and one decryptor of 1, 10, 100 and 1,000 idle services that are drained; and of ten, one of which floods',
  unit: 'drains/s',
  seconds: 75,
  rounds: 1,
  warmUps: 0,
  setup: async (): Promise<State> => ({ stack: await ScaleStack.open(PORT, MAX) }),
  teardown: ({ stack }) => stack.close(),
  contenders: { '1 service': idle(1), '10 services': idle(10), '100 services': idle(100), '1,000 services': idle(MAX), flood },
  compare: ({ '1 service': one, ...more }) => ({
    '10 services': beyondOne(10, more['10 services'], one),
    '100 services': beyondOne(100, more['100 services'], one),
    '1,000 services': beyondOne(MAX, more['1,000 services'], one),
  }),
  bar: [
    // A machine that is too busy for the due drains uses fewer cores than a quiet one would.
    { name: 'drains of 1,000 idle services, of those that are due', of: '1,000 services', figure: 'of_due', atLeast: 0.9 },
    { name: 'cores for 1,000 idle services', of: '1,000 services', figure: 'cores', atMost: 0.1 },
    { name: 'MB for 1,000 idle services beyond one', of: '1,000 services', figure: 'more_mb', atMost: 150 },
    { name: 'ms that a flood delays the events of another service', of: 'flood', figure: 'events_ms', atMost: 100 },
    { name: 'ms that a flood delays the values of another service', of: 'flood', figure: 'values_ms', atMost: 100 },
  ],
});
