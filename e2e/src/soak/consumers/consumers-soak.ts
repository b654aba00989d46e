import { setTimeout as pause } from 'node:timers/promises';
import { Bus, ensureParkedStream, ensureStream } from '@codase/runtime/bus';
import { many, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { createDatabase, startNats } from '@codase/servers';
import { ProcessGroup } from '../process-group.ts';
import { awayAndBack, restart } from '../faults.ts';
import { BundledProgram } from '../managed-process.ts';
import { soak, type SoakContext, type Scene, type SoakOptions, type SoakResult } from '../soak.ts';
import { parkedOn } from '../stream-state.ts';
import { tally, type Effect } from '../tally.ts';
import { KEYS, SOAK_EVENT } from './events.ts';

const CONSUMERS = ['consumer-1', 'consumer-2'];
/** Up to this number, events are published slowly, so that all faults see some and there are not ten times as many. */
const MAX_UNHURRIED_EVENTS = 1000;
/** The pause after each event. With many events, two consumers can just keep up with it. */
const PAUSE_MS = { many: 1, few: 20 };
/** When nothing more has arrived for this long, the rest counts as lost. */
const REST_MS = 120_000;

/** Tests durable consumers while consumers, NATS and Postgres are killed and come back. Every event must take effect once, in order. */
export const consumersSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openConsumers);

async function openConsumers(context: SoakContext): Promise<Scene> {
  const { postgres, password, nats: server, cleanup } = context;
  const accounts = { soak: { jetstream: true, users: [{ user: 'soak', password }] } };
  const nats = await startNats(server, { durable: true, config: { accounts } });
  cleanup.push(() => nats.stop());
  const { owner } = await createDatabase(postgres.url, { name: 'soak', ownerPassword: password, appPassword: password });
  const credentials = { url: nats.url, user: 'soak', password };
  const bus = await Bus.connect({ ...credentials, name: 'soak-publisher', log: silentLog });
  cleanup.push(() => bus.close());
  await ensureParkedStream(bus);
  await ensureStream(bus, SOAK_EVENT.stream!, [SOAK_EVENT]);
  await createTables(owner);

  const env = { SOAK_NATS: JSON.stringify(credentials), SOAK_DATABASE: owner };
  const processes = await ProcessGroup.of(
    CONSUMERS.map((name) => new BundledProgram(name, 'soak-consumer', env)),
    context,
  );
  const published: string[] = [];
  return {
    processes,
    faults: [...CONSUMERS.map((name) => processes.killing(name)), awayAndBack('NATS', (awayMs) => restart(nats, awayMs))],
    wellMs: { least: 700, most: 1600 },
    counts: () => ({ events: published.length }),
    load: (isOver) => publish(bus, published, isOver, context.events > MAX_UNHURRIED_EVENTS ? PAUSE_MS.many : PAUSE_MS.few),
    judge: async () => {
      const effects = await drained(owner, published.length);
      return { ...tally(published, effects), parked: await parkedOn(bus) };
    },
  };
}

async function publish(bus: Bus, published: string[], isOver: () => boolean, pauseMs: number): Promise<void> {
  const next = new Map<string, number>();
  while (!isOver()) {
    const key = KEYS[published.length % KEYS.length]!;
    const n = (next.get(key) ?? 0) + 1;
    next.set(key, n);
    await publishOnce(bus, key, n);
    published.push(`${key}${n}`);
    await pause(pauseMs);
  }
}

/** Publishes an event until the stream has it. The message id makes a repeat harmless. */
async function publishOnce(bus: Bus, key: string, n: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await bus.publish(SOAK_EVENT, { key }, { id: `${key}${n}`, key, n }, `${key}${n}`);
    } catch (error) {
      if (tries === 60) throw error;
      await pause(Math.min(50 * 2 ** tries, 1000));
    }
  }
}

async function createTables(url: string): Promise<void> {
  const db = await openDatabase({ url, name: 'soak', pool: 1 });
  await db.query('create table inbox (consumer text, message_id text, primary key (consumer, message_id))');
  await db.query(`
    create table effect (
      seq bigint generated always as identity primary key, message_id text not null, key text not null, n int not null)`);
  await db.destroy();
}

/** Returns all effects, as soon as all events have one or nothing more arrives. */
async function drained(url: string, expected: number): Promise<Effect[]> {
  const db = await openDatabase({ url, name: 'soak', pool: 1 });
  try {
    for (let [seen, since] = [-1, performance.now()]; ; await pause(250)) {
      const effects = await many<Effect>(db, sql`select message_id, key, n from effect order by seq`);
      if (effects.length > seen) [seen, since] = [effects.length, performance.now()];
      if (new Set(effects.map(({ message_id }) => message_id)).size >= expected || performance.now() - since > REST_MS) return effects;
    }
  } finally {
    await db.destroy();
  }
}
