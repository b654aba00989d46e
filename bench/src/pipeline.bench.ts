import { setTimeout as pause } from 'node:timers/promises';
import { readPrivateKeyPem } from '@cds/crypto/open';
import { many, sql } from '@cds/runtime/db';
import { DEMO, privateKeyOf } from '@cds/stack';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender } from './harness/bench.ts';
import { halves, keepTo } from './harness/cores.ts';
import { cpuMicroseconds, processTreeCpuMicroseconds } from './harness/process-cpu.ts';
import { PipelineStack } from './pipeline/pipeline-stack.ts';

const PORT = 14_700;
const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer'] as const;
/** Events of one transaction of the load. */
const AT_ONCE = 100;

async function setup() {
  const cores = halves();
  keepTo(cores.rest);
  const pipeline = await PipelineStack.open({ port: PORT, units: [...UNITS, 'decryptor'], cores: { decryptor: cores.stage } });
  const { pem, passphrase } = privateKeyOf(pipeline.stack.settings.secrets, DEMO.keys.shop);
  const floor = new BareRsa(await readPrivateKeyPem(pem, passphrase), pipeline.sealed[0]!, cores.stage);
  return { pipeline, floor, rate: { sustained: 0 } };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Microseconds of CPU that each part has used so far. */
function spentBy({ pipeline: { stack, processes } }: State): Record<string, number> {
  const spent = (name: (typeof UNITS)[number] | 'decryptor' | 'handler') => processes.get(name)!.cpuMicroseconds;
  return {
    decryptor: spent('decryptor'),
    handler: spent('handler'),
    services: UNITS.reduce((sum, unit) => sum + spent(unit), 0),
    postgres: processTreeCpuMicroseconds(stack.postgres.pid),
    nats: cpuMicroseconds(stack.nats.pid),
  };
}

function spentSince(before: Record<string, number>, state: State, events: number): Record<string, number> {
  return Object.fromEntries(Object.entries(spentBy(state)).map(([part, us]) => [`${part}_us`, (us - before[part]!) / events]));
}

/** Always a few seconds' worth ahead, so that no stage ever waits for the load; counted from when every stage is at work. */
const sustained: Contender<State> = async ({ state, seconds }) => {
  const { pipeline, rate } = state;
  const atRest = await pipeline.handled();
  let emitted = await keepAhead(pipeline, { emitted: 0, done: 0 });
  await pipeline.handledAtLeast(atRest + AT_WORK);
  const [before, spent, start] = [await pipeline.handled(), spentBy(state), performance.now()];
  let done = before;
  for (; performance.now() - start < seconds * 1000; done = await pipeline.handled()) {
    emitted = await keepAhead(pipeline, { emitted, done: done - atRest });
    await pause(50);
  }
  const [operations, took] = [done - before, (performance.now() - start) / 1000];
  const figures = spentSince(spent, state, operations);
  rate.sustained = operations / took;
  await pipeline.handledAtLeast(atRest + emitted);
  return { operations, seconds: took, figures };
};
const AHEAD = 1000;
/** As many as are in the hands of handlers at once, a few times over. */
const AT_WORK = 50;

async function keepAhead(pipeline: PipelineStack, { emitted, done }: { emitted: number; done: number }): Promise<number> {
  for (; emitted - done < AHEAD; emitted += AT_ONCE) await pipeline.emit(AT_ONCE);
  return emitted;
}

/** Events that come one by one at half the rate that was sustained; how long each took from its commit to its handler. */
const halfLoad: Contender<State> = async ({ state: { pipeline, rate }, seconds }) => {
  const [before, perSecond, began] = [await pipeline.handled(), Math.max(1, rate.sustained / 2), new Date()];
  const start = performance.now();
  let emitted = 0;
  while (performance.now() - start < seconds * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond) - emitted;
    if (due > 0) await pipeline.emit(due);
    emitted += Math.max(0, due);
    await pause(5);
  }
  const took = (performance.now() - start) / 1000;
  await pipeline.handledAtLeast(before + emitted);
  const rows = await many<{ ms: number }>(
    pipeline.effects,
    sql`
    select extract(epoch from handled_at - happened_at)::float8 * 1000 as ms from effect where happened_at >= ${began}`,
  );
  return { operations: emitted, seconds: took, latencies: rows.map(({ ms }) => ms) };
};

/**
 * Both planes together, on disks that are written: feed, gateway, consumer, stream, decryptor, and a handler with its inbox. The slowest
 * stage is the decryptor, and it has half of the cores to itself, as it has machines of its own in production; the floor is what these
 * cores do when they do nothing but RSA. All the others, the two servers and the load share the other half.
 */
export default bench({
  name: 'pipeline',
  what:
    'events from their commit at the platform to the commit of a handler that opened them, against bare RSA-2048 private operations ' +
    'on the cores of the decryptor',
  unit: 'events/s',
  seconds: 90,
  rounds: 4,
  setup,
  teardown: async ({ pipeline, floor }) => {
    await floor.stop();
    await pipeline.close();
  },
  contenders: { floor: ({ state, seconds }) => state.floor.run(seconds), ours: sustained, 'half load': halfLoad },
  bar: [{ name: 'sustained over the slowest stage', of: 'ours', over: 'floor', atLeast: 0.8 }],
});
