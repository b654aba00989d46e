import { setTimeout as pause } from 'node:timers/promises';
import { telemetry } from '@codase/runtime/telemetry';
import { startTelemetry } from '@codase/runtime/telemetry/sdk';
import { table } from '@codase/command-line';
import { bench, type Contender } from './harness/bench.ts';
import { sharedNow } from './harness/shared-now.ts';
import { median, quantile } from './harness/statistics.ts';
import { LatencyStack, type ChannelName, type Committed } from './latency/latency-stack.ts';
import { stagesOf, type Traced } from './latency/stages.ts';

const PORT = 14_900;
/** The number of events in a burst, by which the sustained rate is found. */
const BURST = 300;
const BURSTS = 5;
const EMITTERS = 4;
/** A time longer than an idle channel of this stack waits for its next drain. */
const WAKING_SECONDS = 1.2;

type State = { stack: LatencyStack; sustained: Record<ChannelName, number>; traced: Map<string, Traced[]> };

async function setup(): Promise<State> {
  // The spans of this process are dropped, but each event needs a trace.
  startTelemetry('bench', { spans: { export: (_, done) => done({ code: 0 }), shutdown: async () => undefined } });
  const stack = await LatencyStack.open(PORT);
  return { stack, sustained: await sustainedBy(stack), traced: new Map() };
}

/** Returns the median rate of several bursts of each channel: single ones differ by a third. In the first one code is compiled. */
async function sustainedBy(stack: LatencyStack): Promise<Record<ChannelName, number>> {
  const rates: Record<ChannelName, number[]> = { pull: [], webhook: [] };
  for (let nth = 0; nth <= BURSTS; nth++)
    for (const channel of ['pull', 'webhook'] as const) {
      const rate = await burst(stack, channel);
      if (nth > 0) rates[channel].push(rate);
    }
  return { pull: median(rates.pull), webhook: median(rates.webhook) };
}

/** Returns the events per second when there are always more to handle. */
async function burst(stack: LatencyStack, channel: ChannelName): Promise<number> {
  const start = sharedNow();
  const events: Committed[] = [];
  let begun = 0;
  await bySome(async () => {
    while (begun++ < BURST) events.push(await stack.emit(channel));
  });
  const handled = await stack.handled(events);
  return events.length / ((Math.max(...handled.values()) - start) / 1000);
}

const bySome = (work: () => Promise<void>) => Promise.all(Array.from({ length: EMITTERS }, work));

/** Emits events one by one, at a share of the sustained rate. */
const at =
  (channel: ChannelName, share: number): Contender<State> =>
  async ({ state: { stack, sustained, traced }, seconds }) => {
    const perSecond = Math.max(1, sustained[channel] * share);
    // The channel was idle during the turns of the others, and an idle channel is drained rarely. The first event wakes the channel, and is
    // reported separately.
    const first = await tookOf(stack, await emitted(stack, channel, { perSecond, seconds: WAKING_SECONDS }));
    const start = performance.now();
    const events = await emitted(stack, channel, { perSecond, seconds });
    const took = (performance.now() - start) / 1000;
    const measured = await tookOf(stack, events);
    const name = `${channel} at ${share * 100} %`;
    traced.set(name, [...(traced.get(name) ?? []), ...measured]);
    const latencies = measured.map(({ took_ms }) => took_ms);
    const figures = { p999_ms: quantile(latencies, 0.999), after_idle_ms: Math.max(...first.map(({ took_ms }) => took_ms)) };
    return { operations: events.length, seconds: took, latencies, figures };
  };

/** Emits each event at a random moment of its own share of the time: at equal intervals events would fall into step with the drains. */
async function emitted(stack: LatencyStack, channel: ChannelName, { perSecond, seconds }: { perSecond: number; seconds: number }) {
  const events: Committed[] = [];
  const start = performance.now();
  let begun = 0;
  await bySome(async () => {
    while (begun < perSecond * seconds) {
      const due = start + ((begun++ + Math.random()) / perSecond) * 1000;
      await pause(Math.max(0, due - performance.now()));
      events.push(await stack.emit(channel));
    }
  });
  return events;
}

async function tookOf(stack: LatencyStack, events: readonly Committed[]): Promise<(Committed & Traced)[]> {
  const handled = await stack.handled(events);
  return events.map((event) => ({ ...event, took_ms: handled.get(event.message_id)! - event.committed_ms }));
}

async function teardown({ stack, traced }: State): Promise<void> {
  await pause(1000); // spans leave their processes in batches
  const seen = await stack.seen();
  for (const [name, events] of traced) {
    const rows = stagesOf(seen, events).map(({ stage, begins_ms, takes_ms, late_begins_ms, late_takes_ms }) => [
      stage,
      ...[begins_ms, takes_ms, late_begins_ms, late_takes_ms].map(ms),
    ]);
    console.log(`\n${name}: what an event goes through, medians of ${events.length}, and of the two in a hundred that took longest\n`);
    console.log(table([['', 'ms after the commit', 'takes ms', 'the latest', 'take ms'], ...rows]));
  }
  await stack.close();
  await telemetry.flush();
}

const ms = (value: number) => value.toFixed(1);

/** Measures events while there is spare capacity. Pull waits 50 ms for a drain by the median; `after_idle_ms` ends an idle time. */
export default bench({
  name: 'latency',
  what:
    'events from their commit at the platform to the handler that opened them, at 10 and 50 % of the rate that each channel sustains; ' +
    'pull: the platform lets a client drain ten times a second',
  unit: 'events/s',
  seconds: 120,
  rounds: 5,
  setup,
  teardown,
  contenders: {
    'pull at 10 %': at('pull', 0.1),
    'pull at 50 %': at('pull', 0.5),
    'webhook at 10 %': at('webhook', 0.1),
    'webhook at 50 %': at('webhook', 0.5),
  },
  bar: [
    ...(['pull at 10 %', 'pull at 50 %'] as const).flatMap((of) => [
      { of, figure: 'p50_ms', atMost: 70 },
      { of, figure: 'p99_ms', atMost: 200 },
    ]),
    ...(['webhook at 10 %', 'webhook at 50 %'] as const).flatMap((of) => [
      { of, figure: 'p50_ms', atMost: 15 },
      { of, figure: 'p99_ms', atMost: 50 },
    ]),
  ],
});
