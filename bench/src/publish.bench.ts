import { subject } from '@codase/contracts';
import { BATCH_MESSAGES, ensureStream, Publisher, type Outgoing } from '@codase/runtime/bus';
import { z } from 'zod';
import { openBus } from './harness/bench-bus.ts';
import { bench, type Contender } from './harness/bench.ts';

const SUBJECT = subject('bench.publish.{way}', { stream: 'BENCH', message: z.unknown() });
/** About the size of an event with a sealed value. */
const BODY = Buffer.alloc(1200, 'x');

async function setup() {
  // Every write reaches the disk before it is acknowledged, as in production.
  const { nats, connect } = await openBus({ durable: true });
  const bus = await connect();
  await ensureStream(bus, SUBJECT.stream!, [SUBJECT], { batches: true });
  return { nats, bus, publisher: new Publisher(bus) };
}

let made = 0;
const message = (way: string): Outgoing => ({
  subject: `bench.publish.${way}`,
  body: BODY,
  id: `${way}:${++made}`,
  headers: { 'ce-id': String(made) },
});

/** Publishes this many messages at once, again and again, and measures each wait. */
const publishing =
  (way: string, atOnce: number): Contender<Awaited<ReturnType<typeof setup>>> =>
  async ({ state: { publisher }, seconds }) => {
    const start = performance.now();
    const latencies: number[] = [];
    for (let began = start; began - start < seconds * 1000; began = performance.now()) {
      await publisher.publish(Array.from({ length: atOnce }, () => message(way)));
      latencies.push(performance.now() - began);
    }
    return { operations: latencies.length * atOnce, seconds: (performance.now() - start) / 1000, latencies };
  };

/** Measures what a batch saves over waiting for each event. A few messages must be about as fast as one after the other. */
export default bench({
  name: 'publish',
  what: 'durable publishes in atomic batches, against waiting for each; and of two at once',
  unit: 'events/s',
  setup,
  teardown: async ({ nats, bus }) => {
    await bus.close();
    await nats.stop();
  },
  contenders: {
    floor: publishing('single', 1),
    'two at once': publishing('few', 2),
    ours: publishing('batch', BATCH_MESSAGES),
  },
  bar: [
    { name: 'batches over waiting for each', of: 'ours', over: 'floor', atLeast: 8 },
    { name: 'wait for two at once, over that for one', figure: 'p50_ms', of: 'two at once', over: 'floor', atMost: 3 },
  ],
});
