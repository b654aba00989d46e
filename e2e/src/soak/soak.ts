import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { Bus, ensureParkedStream, ensureStream } from '@cds/runtime/bus';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { silentLog } from '@cds/runtime/telemetry';
import { createDatabase, startNats, startPostgres, type NatsServer } from '@cds/testing/infra';
import { tally, type Effect, type Tally } from './count.ts';
import { KEYS, SOAK_EVENT } from './events.ts';

export interface SoakOptions {
  nats: NatsServer;
  events: number;
  /** Faults go on until there were this many, however fast the events flow. */
  kills: number;
  /** Processes that share the work. */
  consumers?: number;
  progress?: (line: string) => void;
}

export interface SoakResult extends Tally {
  kills: number;
  events: number;
  parked: number;
}

/** How long the rest may take once faults have ended. */
const DRAIN_MS = 120_000;
const CHILD = fileURLToPath(new URL('../../dist/soak/consumer.main.js', import.meta.url));

/**
 * Durable consumers under fire: events flow while consumers, NATS and Postgres are killed and come back. Every event
 * must take effect once, in order. Servers are durable here, as in production.
 */
export async function soak({ nats: server, events, kills, consumers = 2, progress = () => {} }: SoakOptions): Promise<SoakResult> {
  const password = randomBytes(12).toString('hex');
  const closing: (() => Promise<unknown>)[] = [];
  try {
    progress('starting Postgres and NATS');
    const postgres = await startPostgres({ durable: true, password });
    closing.push(() => postgres.stop());
    const nats = await startNats(server, { durable: true, config: { accounts: { soak: { jetstream: true, users: [{ user: 'soak', password }] } } } });
    closing.push(() => nats.stop());
    const { owner } = await createDatabase(postgres.url, { name: 'soak', ownerPassword: password, appPassword: password });
    const credentials = { url: nats.url, user: 'soak', password };
    const bus = await Bus.connect({ ...credentials, name: 'soak-publisher', log: silentLog });
    closing.push(() => bus.close());
    await ensureParkedStream(bus);
    await ensureStream(bus, SOAK_EVENT.stream!, [SOAK_EVENT]);
    await createTables(owner);

    const family = new Family(consumers, { SOAK_NATS: JSON.stringify(credentials), SOAK_DATABASE: owner });
    closing.push(async () => family.end());
    await family.start();
    const faults = new Faults([() => family.killOne(), () => family.killOne(), () => revive(nats), () => revive(postgres)]);
    closing.push(() => faults.stop());
    const published = await publish(bus, events, (n) => progress(`${n} of ${events} published, ${faults.kills} kills`));
    await faults.reach(kills);
    await faults.stop();

    progress('faults are over; waiting for the rest');
    const effects = await drained(owner, published.length);
    const { state } = await (await bus.manager()).streams.info('PARKED');
    return { kills: faults.kills, events: published.length, parked: state.messages, ...tally(published, effects) };
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Consumers in processes of their own; one that is killed is started again. */
class Family {
  private readonly children = new Set<ChildProcess>();
  private ended = false;

  constructor(private readonly size: number, private readonly env: Record<string, string>) {}

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.size }, () => this.bear()));
  }

  async killOne(): Promise<void> {
    const [child] = this.children;
    child?.kill('SIGKILL');
  }

  end(): void {
    this.ended = true;
    for (const child of this.children) child.kill('SIGKILL');
  }

  private async bear(): Promise<void> {
    const child = fork(CHILD, { env: { PATH: process.env['PATH'], ...this.env }, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.children.add(child);
    child.once('exit', () => {
      this.children.delete(child);
      if (!this.ended) setTimeout(() => void this.bear(), 200);
    });
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
  }
}

/** Something breaks every little while, in turn, until told to stop. */
class Faults {
  kills = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(private readonly list: readonly (() => Promise<void>)[]) {
    this.running = this.run();
  }

  async reach(kills: number): Promise<void> {
    while (this.kills < kills) await pause(100);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    for (let turn = 0; ; turn++) {
      await pause(700 + Math.random() * 900, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      await this.list[turn % this.list.length]!();
      this.kills++;
    }
  }
}

async function revive(server: { kill(): void; restart(): Promise<unknown> }): Promise<void> {
  server.kill();
  await pause(100);
  await server.restart();
}

async function publish(bus: Bus, events: number, onProgress: (published: number) => void): Promise<string[]> {
  const published: string[] = [];
  const next = new Map<string, number>();
  while (published.length < events) {
    const key = KEYS[published.length % KEYS.length]!;
    const n = (next.get(key) ?? 0) + 1;
    next.set(key, n);
    await publishOnce(bus, key, n);
    published.push(`${key}${n}`);
    if (published.length % 500 === 0) onProgress(published.length);
  }
  return published;
}

/** The publisher holds an event until the stream has it; the id makes the repeat harmless. */
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
  await db.query('create table effect (seq bigint generated always as identity primary key, message_id text not null, key text not null, n int not null)');
  await db.destroy();
}

/** Everything that took effect, once all has or the time is over. */
async function drained(url: string, expected: number): Promise<Effect[]> {
  const db = await openDatabase({ url, name: 'soak', pool: 1 });
  try {
    const deadline = performance.now() + DRAIN_MS;
    for (;;) {
      const effects = await many<Effect>(db, sql`select message_id, key, n from effect order by seq`);
      if (new Set(effects.map(({ message_id }) => message_id)).size >= expected || performance.now() > deadline) return effects;
      await pause(250);
    }
  } finally {
    await db.destroy();
  }
}
