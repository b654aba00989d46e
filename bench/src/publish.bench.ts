import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { subject } from '@cds/contracts';
import { BATCH_MESSAGES, Bus, ensureStream, Publisher, type Outgoing } from '@cds/runtime/bus';
import { silentLog } from '@cds/runtime/telemetry';
import { findNatsServer, startNats } from '@cds/servers';
import { z } from 'zod';
import { bench } from './harness/bench.ts';

const CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache');
const SUBJECT = subject('bench.publish.{way}', { stream: 'BENCH', message: z.unknown() });
const USER = { user: 'bench', password: 'bench' };
/** An event with a sealed value is about so long. */
const BODY = Buffer.alloc(1200, 'x');

async function setup() {
  // Every write reaches the disk before it is acknowledged, as in production.
  const config = { accounts: { bench: { jetstream: true, users: [USER] } } };
  const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), { durable: true, config });
  const bus = await Bus.connect({ url: nats.url, ...USER, name: 'bench', log: silentLog });
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

/** What an acknowledged batch saves over waiting for each event: one write to the disk instead of one for each. */
export default bench({
  name: 'publish',
  what: 'durable publishes in atomic batches, against waiting for each',
  unit: 'events/s',
  setup,
  teardown: async ({ nats, bus }) => {
    await bus.close();
    await nats.stop();
  },
  contenders: {
    floor: async ({ state: { publisher }, seconds }) => {
      const start = performance.now();
      let operations = 0;
      for (; performance.now() - start < seconds * 1000; operations++) await publisher.publish([message('single')]);
      return { operations, seconds: (performance.now() - start) / 1000 };
    },
    ours: async ({ state: { publisher }, seconds }) => {
      const start = performance.now();
      let operations = 0;
      for (; performance.now() - start < seconds * 1000; operations += BATCH_MESSAGES) {
        await publisher.publish(Array.from({ length: BATCH_MESSAGES }, () => message('batch')));
      }
      return { operations, seconds: (performance.now() - start) / 1000 };
    },
  },
  bar: [{ name: 'batches over waiting for each', of: 'ours', over: 'floor', atLeast: 8 }],
});
