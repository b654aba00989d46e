import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sealed } from '@cds/contracts';
import { importValuePublicKey, sealValue } from '@cds/crypto';
import { readPrivateKeyPem } from '@cds/crypto/open';
import { emit, type NewEvent } from '@cds/platform';
import { many, one, openDatabase, sql } from '@cds/runtime/db';
import { createDatabase } from '@cds/servers';
import { clientSecret, DEMO, privateKeyOf, type Secrets } from '@cds/stack';
import type { DataSource } from 'typeorm';
import { BareRsa } from './harness/bare-rsa.ts';
import { BenchStack } from './harness/bench-stack.ts';
import { bench, type Contender } from './harness/bench.ts';
import { halves, keepTo } from './harness/cores.ts';
import { cpuMicroseconds, processTreeCpuMicroseconds } from './harness/process-cpu.ts';

const PORT = 14_700;
const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer'] as const;
const PERSONS = 5000;
const TEXT = '{"street":"Storgatan 1","postal_code":"211 34","city":"Malmö","country":"SE"}';
/** Events of one transaction of the load. */
const AT_ONCE = 100;
const PLENTY = { burst: 1e9, per_second: 1e9 };

async function setup() {
  const cores = halves();
  keepTo(cores.rest);
  const stack = await BenchStack.open({
    durable: true,
    port: PORT,
    services: (secrets) => ({ [DEMO.service]: credentials(secrets) }),
    consumers: [{ user: DEMO.consumer, services: [DEMO.service], groups: ['customers'] }],
    limits: { token: PLENTY, data: PLENTY, changes: PLENTY },
  });
  const { databases, secrets, nats } = stack.settings;
  const shop = await createDatabase(stack.postgres.url, { name: 'shop', ownerPassword: 'bench', appPassword: 'bench' });
  const [region, effects] = await Promise.all(
    [databases.region_eu.app, shop.owner].map((url) => openDatabase({ url, name: 'bench', pool: 2 })),
  );
  await many(
    effects!,
    sql`create table effect (message_id text primary key, chars int not null, happened_at timestamptz not null,
      handled_at timestamptz not null)`,
  );
  const services = [];
  for (const unit of UNITS) services.push(await stack.start(unit));
  const decryptor = await stack.start('decryptor', { cores: cores.stage });
  const { user = '', password = '' } = nats.credentials(DEMO.consumer);
  const handler = await stack.startOther(fileURLToPath(new URL('pipeline-handler.js', import.meta.url)), {
    NATS_URL: nats.url,
    NATS_USER: user,
    NATS_PASSWORD: password,
    DATABASE_URL: shop.owner,
  });
  const sealed = await sealedBy(secrets);
  const { pem, passphrase } = privateKeyOf(secrets, DEMO.keys.shop);
  const floor = new BareRsa(await readPrivateKeyPem(pem, passphrase), sealed[0]!, cores.stage);
  return { stack, region: region!, effects: effects!, sealed, floor, parts: { services, decryptor, handler }, rate: { sustained: 0 } };
}
type State = Awaited<ReturnType<typeof setup>>;

const credentials = (secrets: Secrets) => ({ client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) });

async function sealedBy(secrets: Secrets): Promise<Sealed[]> {
  const key = await importValuePublicKey(secrets.known(`keys/${DEMO.keys.shop}.public`));
  return Promise.all(Array.from({ length: 50 }, async () => (await sealValue(key, TEXT)) as Sealed));
}

let made = 0;

/** Messages of many persons, committed at the platform as its own code does it. */
async function emitEvents({ region, sealed }: Pick<State, 'region' | 'sealed'>, events: number): Promise<void> {
  await region.transaction((tx) =>
    emit(
      tx,
      Array.from({ length: events }, () => message(sealed[made++ % sealed.length]!, made)),
    ),
  );
}

function message(body: Sealed, nth: number): NewEvent {
  const at = new Date().toISOString();
  const person = `usr_${nth % PERSONS}`;
  return {
    company_user_id: DEMO.keys.account,
    service_id: DEMO.keys.shop,
    event: {
      event: 'message_received',
      person_user_id: person,
      share_code: null,
      at,
      connection_id: `con_${person}`,
      message_id: `msg_${randomUUID()}`,
      person_public_key: 'x',
      created_at: at,
      body,
    },
  };
}

/** Microseconds of CPU that each part has used so far. */
const spentBy = ({ stack: { postgres, nats }, parts: { services, decryptor, handler } }: State): Record<string, number> => ({
  decryptor: decryptor.cpuMicroseconds,
  handler: handler.cpuMicroseconds,
  services: services.reduce((sum, service) => sum + service.cpuMicroseconds, 0),
  postgres: processTreeCpuMicroseconds(postgres.pid),
  nats: cpuMicroseconds(nats.pid),
});

function spentSince(before: Record<string, number>, state: State, events: number): Record<string, number> {
  return Object.fromEntries(Object.entries(spentBy(state)).map(([part, us]) => [`${part}_us`, (us - before[part]!) / events]));
}

const handled = async (effects: DataSource): Promise<number> =>
  (await one<{ n: number }>(effects, sql`select count(*)::int as n from effect`))!.n;

/** Always a few seconds' worth ahead, so that no stage ever waits for the load; counted from when every stage is at work. */
const sustained: Contender<State> = async ({ state, seconds }) => {
  const { effects, rate } = state;
  const atRest = await handled(effects);
  let emitted = await keepAhead(state, { emitted: 0, done: 0 });
  await handledAtLeast(effects, atRest + AT_WORK);
  const [before, spent, start] = [await handled(effects), spentBy(state), performance.now()];
  let done = before;
  for (; performance.now() - start < seconds * 1000; done = await handled(effects)) {
    emitted = await keepAhead(state, { emitted, done: done - atRest });
    await pause(50);
  }
  const [operations, took] = [done - before, (performance.now() - start) / 1000];
  const figures = spentSince(spent, state, operations);
  rate.sustained = operations / took;
  await handledAtLeast(effects, atRest + emitted);
  return { operations, seconds: took, figures };
};
const AHEAD = 1000;
/** As many as are in the hands of handlers at once, a few times over. */
const AT_WORK = 50;

async function keepAhead(state: State, { emitted, done }: { emitted: number; done: number }): Promise<number> {
  for (; emitted - done < AHEAD; emitted += AT_ONCE) await emitEvents(state, AT_ONCE);
  return emitted;
}

async function handledAtLeast(effects: DataSource, expected: number): Promise<void> {
  for (let waited = 0; (await handled(effects)) < expected; waited += 50) {
    if (waited > 120_000) throw new Error(`Of ${expected} events ${await handled(effects)} were handled after two minutes.`);
    await pause(50);
  }
}

/** Events that come one by one at half the rate that was sustained; how long each took from its commit to its handler. */
const halfLoad: Contender<State> = async ({ state, seconds }) => {
  const { effects, rate } = state;
  const [before, perSecond, began] = [await handled(effects), Math.max(1, rate.sustained / 2), new Date()];
  const start = performance.now();
  let emitted = 0;
  while (performance.now() - start < seconds * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond) - emitted;
    if (due > 0) await emitEvents(state, due);
    emitted += Math.max(0, due);
    await pause(5);
  }
  const took = (performance.now() - start) / 1000;
  await handledAtLeast(effects, before + emitted);
  const rows = await many<{ ms: number }>(
    effects,
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
  teardown: async ({ stack, region, effects, floor }) => {
    await floor.stop();
    await Promise.all([region.destroy(), effects.destroy()]);
    await stack.close();
  },
  contenders: { floor: ({ state, seconds }) => state.floor.run(seconds), ours: sustained, 'half load': halfLoad },
  bar: [{ name: 'sustained over the slowest stage', of: 'ours', over: 'floor', atLeast: 0.8 }],
});
