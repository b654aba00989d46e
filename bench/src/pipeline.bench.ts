import { createPrivateKey } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { DEMO, privateKeyOf } from '@codase/stack';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender, type Figures, type Sample } from './harness/bench.ts';
import { cpuMicroseconds, processTreeCpuMicroseconds } from './harness/process-cpu.ts';
import type { Effects } from './pipeline/effects.ts';
import { Peer } from './pipeline/peer.ts';
import { PipelineStack } from './pipeline/pipeline-stack.ts';

const PORT = 14_700;
const PEER_PORT = PORT + 90;
const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor'] as const;
/** The platform is not on a company's node, so its CPU is printed but not counted. The peer's events come from a platform too. */
const PLATFORM = 'platform';
/** The time for work after the last event is handled: acknowledgements, and the completion of jobs. */
const SETTLED_MS = 500;
/** The warm-up rounds. Services run for days, so their warm cost is judged: V8 optimises their code for about 20,000 events. */
const WARM_UPS = 4;
/** The number of events of a turn, as a share of the floor's operations in the same time. */
const OF_FLOOR = 0.5;
/** Uncounted events before each turn, as a share of its own: V8 released memory and code during the turns of the others. */
const LEAD_IN = 0.5;

async function setup() {
  const pipeline = await PipelineStack.open({ port: PORT, units: UNITS, platformApart: true });
  const { pem, passphrase } = privateKeyOf(pipeline.stack.settings.secrets, DEMO.keys.shop);
  const pkcs8 = await readPrivateKeyPem(pem, passphrase);
  const floor = new BareRsa(pkcs8, pipeline.sealed[0]!);
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  const privateKey = String(key.export({ format: 'pem', type: 'pkcs8' }));
  const peer = await Peer.open({ port: PEER_PORT, privateKey, messages: pipeline.messages });
  return { pipeline, floor, peer, events: 0 };
}
type State = Awaited<ReturnType<typeof setup>>;

/** The floor, which begins the first round. Its rate decides the number of events for the other contenders, the same in every round. */
const floor: Contender<State> = async ({ state, seconds }) => {
  const sample = await state.floor.run(seconds);
  state.events ||= Math.ceil(sample.operations * OF_FLOOR);
  return sample;
};

/** Microseconds of CPU that each part has used so far. */
function spentByOurs({ stack, processes }: PipelineStack): Record<string, number> {
  const spent = (name: (typeof UNITS)[number] | 'handler') => processes.get(name)!.cpuMicroseconds;
  return {
    decryptor: spent('decryptor'),
    handler: spent('handler'),
    gateway: spent('gateway'),
    feed_consumer: spent('feed-consumer'),
    [PLATFORM]: spent('front-door') + spent('region-eu') + processTreeCpuMicroseconds(stack.platformPostgres!.pid),
    postgres: processTreeCpuMicroseconds(stack.postgres.pid),
    nats: cpuMicroseconds(stack.nats.pid),
  };
}

/** Handles the events of a turn. All events exist before the clock starts, and become visible at one moment, that of the commit. */
const ours = behindLeadIn(async ({ pipeline }, events) => {
  await pipeline.effects.clear();
  let before: Record<string, number> = {};
  await pipeline.emit(events, () => (before = spentByOurs(pipeline)));
  return handled({ events, startedAt: Date.now(), before, effects: pipeline.effects, spent: () => spentByOurs(pipeline) });
});

/** Handles the same events as signed webhooks. The CPU of sending them is not counted. */
const peer = behindLeadIn(async ({ peer: program }, events) => {
  await program.effects.clear();
  const [deliveries, before, startedAt] = [await program.deliveries(events), program.spent(), Date.now()];
  await program.send(deliveries);
  return handled({ events, startedAt, before, effects: program.effects, spent: () => program.spent() });
});

function behindLeadIn(handle: (state: State, events: number) => Promise<Sample>): Contender<State> {
  return async ({ state }) => {
    await handle(state, Math.ceil(state.events * LEAD_IN));
    return handle(state, state.events);
  };
}

interface Work {
  events: number;
  startedAt: number;
  before: Readonly<Record<string, number>>;
  effects: Effects;
  spent(): Readonly<Record<string, number>>;
}

/** Measures from rest to rest, so that all work of each part for the events counts, early or late, divided by their number. */
async function handled({ events, startedAt, before, effects, spent }: Work): Promise<Sample> {
  await effects.atLeast(events);
  const seconds = ((await effects.lastAt()) - startedAt) / 1000;
  await pause(SETTLED_MS);
  const each = Object.entries(spent()).map(([part, us]) => [part, (us - before[part]!) / events] as const);
  const all_us = each.reduce((sum, [part, us]) => (part === PLATFORM ? sum : sum + us), 0);
  return { operations: events, seconds, figures: { all_us, ...Object.fromEntries(each.map(([part, us]) => [`${part}_us`, us])) } };
}

/** Returns the CPU of everything on the node without one bare RSA operation, and the share of the floor's rate that is reached. */
const besideRsa = (figures: Figures, rsa: Figures): Figures => ({
  beside_rsa_us: figures['all_us']! - rsa['all_us']!,
  of_floor: figures['rate']! / rsa['rate']!,
});

/** Measures both planes on all cores. The CPU of an event counts from its commit to the handler's; the platform's own does not. */
export default bench({
  name: 'pipeline',
  what:
    'events from their commit at the platform to the commit of a handler that opened them, all parts on all cores; against bare RSA-2048 ' +
    'private operations on all cores, and against one program that takes signed webhooks with Fastify into graphile-worker and opens ' +
    'what they carry itself',
  unit: 'events/s',
  seconds: 400,
  rounds: 4,
  warmUps: WARM_UPS,
  setup,
  teardown: async ({ pipeline, floor: bare, peer: program }) => {
    await bare.stop();
    await program.close();
    await pipeline.close();
  },
  contenders: { floor, ours, peer },
  compare: (round) => ({ ours: besideRsa(round.ours, round.floor), peer: besideRsa(round.peer, round.floor) }),
  bar: [
    { name: 'CPU in µs of an event beside its RSA operation', of: 'ours', figure: 'beside_rsa_us', atMost: 800 },
    { name: 'rate over the peer', of: 'ours', over: 'peer', atLeast: 0.8 },
    { name: 'CPU of an event over the peer', of: 'ours', over: 'peer', figure: 'all_us', atMost: 1.25 },
  ],
});
