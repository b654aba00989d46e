import { setTimeout as pause } from 'node:timers/promises';
import { telemetry } from '@cds/runtime/telemetry';
import { startTelemetry } from '@cds/runtime/telemetry/sdk';
import { table } from '@cds/command-line';
import { bench, type Contender } from './harness/bench.ts';
import { quantile } from './harness/statistics.ts';
import { LatencyStack, type ChannelName, type Committed } from './latency/latency-stack.ts';
import { stagesOf } from './latency/stages.ts';

const PORT = 14_900;
/** Events of the burst by which the sustained rate is found. */
const BURST = 300;
const EMITTERS = 4;
/** Traces by which the stages are found: of the newest events. */
const TRACED = 100;

type State = { stack: LatencyStack; sustained: Record<ChannelName, number>; newest: Record<ChannelName, Committed[]> };

async function setup(): Promise<State> {
  // Spans of this process tell nothing, but each event needs a trace.
  startTelemetry('bench', { export: (_, done) => done({ code: 0 }), shutdown: async () => undefined });
  const stack = await LatencyStack.open(PORT);
  await burst(stack, 'pull');
  await burst(stack, 'webhook');
  return {
    stack,
    sustained: { pull: await burst(stack, 'pull'), webhook: await burst(stack, 'webhook') },
    newest: { pull: [], webhook: [] },
  };
}

/** Events a second, when there are always more. */
async function burst(stack: LatencyStack, channel: ChannelName): Promise<number> {
  const start = performance.timeOrigin + performance.now();
  const events: Committed[] = [];
  let begun = 0;
  await bySome(async () => {
    while (begun++ < BURST) events.push(await stack.emit(channel));
  });
  const handled = await stack.handled(events);
  return events.length / ((Math.max(...handled.values()) - start) / 1000);
}

/** As many at once as the load has connections. */
const bySome = (work: () => Promise<void>) => Promise.all(Array.from({ length: EMITTERS }, work));

/** Events that come one by one, at a share of the rate that was sustained. */
const at =
  (channel: ChannelName, share: number): Contender<State> =>
  async ({ state: { stack, sustained, newest }, seconds }) => {
    const perSecond = Math.max(1, sustained[channel] * share);
    const events: Committed[] = [];
    const start = performance.now();
    let begun = 0;
    await bySome(async () => {
      for (let passed = 0; passed < seconds; passed = (performance.now() - start) / 1000) {
        if (begun >= passed * perSecond) await pause(2);
        else {
          begun += 1;
          events.push(await stack.emit(channel));
        }
      }
    });
    const took = (performance.now() - start) / 1000;
    newest[channel] = events.slice(-TRACED);
    const handled = await stack.handled(events);
    const latencies = events.map(({ message_id, committed_ms }) => handled.get(message_id)! - committed_ms);
    return { operations: events.length, seconds: took, latencies, figures: { p999_ms: quantile(latencies, 0.999) } };
  };

async function teardown({ stack, newest }: State): Promise<void> {
  await pause(1000); // spans leave their processes in batches
  for (const channel of ['pull', 'webhook'] as const) {
    const committed = new Map(newest[channel].map(({ trace_id, committed_ms }) => [trace_id, committed_ms]));
    const rows = stagesOf(stack.traces.all, committed).map((stage) => [stage.stage, ms(stage.begins_ms), ms(stage.takes_ms)]);
    console.log(`\n${channel}: what an event goes through, medians of ${committed.size}\n`);
    console.log(table([['', 'ms after the commit', 'takes ms'], ...rows]));
  }
  await stack.close();
  await telemetry.flush();
}

const ms = (value: number) => value.toFixed(1);

/**
 * How long an event is on its way while there is room for more. The pull channel waits for its turn: the platform lets a client drain ten
 * times a second, so that an event waits for 50 ms by the median before anybody may ask for it. The webhook channel waits for nothing.
 */
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
