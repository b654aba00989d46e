import { createHash } from 'node:crypto';
import { connect, postgresInbox, type CodaseClient, type ConnectOptions, type Inbox } from '@codase/client';
import {
  at,
  FEED,
  groupConsumer,
  internalConsumer,
  OPEN_ACCOUNT_VALUES,
  OPEN_VALUES,
  PARTITIONS,
  suiteUsers,
  type FeedEvent,
  type Sealed,
} from '@codase/contracts';
import { Bus, ensureParkedStream, ensureStream, makeConsumers } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { testDatabase, type TestDatabase } from '@codase/testing';
import { startNats, type Nats, type NatsServer } from '@codase/servers';
import { natsAccounts } from '@codase/stack';
import { headers as natsHeaders, type Subscription } from '@nats-io/transport-node';
import type { StoredMsg } from '@nats-io/jetstream';
import pg from 'pg';

const PASSWORD = 'only-for-tests';
const DESK = internalConsumer('desk-backend', ['desk'], ['customers']);
const SHOP = internalConsumer('shop-backend', ['shop'], ['customers', 'audit']);
const PAGE = internalConsumer('sign-in-page', [], [], { account: true });

/** Short times, so that a test does not wait. */
export const QUICK = { backoffMs: [10, 20], postponeMs: [50], ackWaitMs: 1500 };

/** A text with the form of a sealed value. The decryptor is played, and reads the word in `d`. */
export function sealedWord(word: string): Sealed {
  const d = Buffer.from(word.padEnd(18, '.')).toString('base64');
  return JSON.stringify({ _enc: 1, k: `${'q83v'.repeat(85)}qw==`, iv: 'AAECAwQFBgcICQoL', d }) as Sealed;
}

const wordIn = (sealed: string) =>
  Buffer.from((JSON.parse(sealed) as { d: string }).d, 'base64')
    .toString()
    .replace(/\.+$/, '');

const openedWord = (word: string) =>
  word.includes('?') ? { error_key: 'decryptor.unreadable' as const } : { plaintext: word, attested: null, value: word };

/**
 * The partition of a person. The feed consumer spreads persons by a digest, as this does; events of persons who share a partition keep one
 * order.
 */
export const partitionOf = (person: string): string =>
  PARTITIONS[createHash('sha256').update(person).digest().readUInt16BE(0) % PARTITIONS.length]!;

type Reported = Partial<FeedEvent> & { event: string; person_user_id: string };

interface Put {
  kind?: string;
  person: string;
  service?: string;
  id?: string;
  headers?: Record<string, string>;
}

/** A company's bus as its operator prepared it, with a database for its own service. */
export class Suite {
  private readonly buses: Bus[] = [];
  private readonly clients: CodaseClient[] = [];
  private readonly pools: pg.Pool[] = [];
  private published = 0;
  operator!: Bus;
  feedConsumer!: Subscription;
  pool!: pg.Pool;

  private constructor(
    readonly nats: Nats,
    readonly database: TestDatabase,
  ) {}

  static async open(): Promise<Suite> {
    const server = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;
    const accounts = natsAccounts([...suiteUsers(['shop']), SHOP, DESK, PAGE], () => PASSWORD);
    const nats = await startNats(server, { durable: false, config: { accounts } });
    const suite = new Suite(nats, await testDatabase());
    suite.operator = await suite.as('suite-operator');
    await ensureParkedStream(suite.operator);
    await ensureStream(suite.operator, FEED.stream!, [FEED]);
    await suite.playsFeedConsumer();
    suite.pool = suite.poolOn(suite.database.owner);
    await suite.pool.query('create table seen (n serial, person text, what text)');
    return suite;
  }

  poolOn(connectionString: string): pg.Pool {
    const pool = new pg.Pool({ connectionString, max: 20, connectionTimeoutMillis: 60_000 });
    // A pool ends before its last connections do: the server may end them first, when the database is dropped.
    pool.on('error', () => undefined);
    this.pools.push(pool);
    return pool;
  }

  inbox(): Inbox<pg.PoolClient> {
    return postgresInbox(this.pool);
  }

  async as(user: string): Promise<Bus> {
    const bus = await Bus.connect({ url: this.nats.url, user, password: PASSWORD, name: user, log: silentLog });
    this.buses.push(bus);
    return bus;
  }

  async connects(options: Partial<ConnectOptions> = {}): Promise<CodaseClient> {
    const usual = { url: this.nats.url, user: 'shop-backend', password: PASSWORD, service: 'shop', log: silentLog };
    const client = await connect({ ...usual, ...options });
    this.clients.push(client);
    return client;
  }

  /** Puts an event on the stream as the feed consumer does, with an id or headers of its own where a story needs them. */
  async publishes(
    event: Reported,
    { id = `evt_${++this.published}`, service = 'shop', ...headers }: Record<string, string> = {},
  ): Promise<void> {
    const whole = { id, share_code: null, at: '2026-03-02T10:00:00Z', ...event };
    const { event: kind, person_user_id: person } = event;
    await this.puts(JSON.stringify(whole), {
      kind,
      person,
      service,
      id: `${service}:${id}`,
      headers: { 'ce-id': id, 'ce-time': whole.at, ...headers },
    });
  }

  /** Puts any bytes on the stream. */
  async puts(
    body: string,
    { kind = 'connection_created', person, service = 'shop', id = `msg_${++this.published}`, headers = {} }: Put,
  ): Promise<void> {
    const marks = natsHeaders();
    for (const [name, value] of Object.entries(headers)) marks.set(name, value);
    await this.operator.streams.publish(at(FEED, { service, event: kind, partition: partitionOf(person) }), body, {
      msgID: id,
      headers: marks,
    });
  }

  /** A person connects to the shop. */
  joins(person: string, marks: Record<string, string> = {}): Promise<void> {
    return this.publishes({ event: 'connection_created', person_user_id: person, customer_type: 'person' }, marks);
  }

  /** A person shares a word with the shop, sealed. */
  shares(person: string, word: string, marks: Record<string, string> = {}): Promise<void> {
    return this.publishes({ event: 'field_updated', person_user_id: person, slug: 'email', live: true, value: sealedWord(word) }, marks);
  }

  /**
   * Plays the decryptor for sealed words, with the key of a service or of the account; a word with a question mark does not open. Returns
   * how many values came with each request.
   */
  async playsDecryptor(subject: typeof OPEN_VALUES | typeof OPEN_ACCOUNT_VALUES = OPEN_VALUES): Promise<{
    batches: number[];
    stop(): Promise<void>;
  }> {
    const batches: number[] = [];
    const subscription = await (
      await this.as('decryptor')
    ).answer(subject, {}, ({ values }) => {
      batches.push(values.length);
      return { items: values.map(({ value }) => openedWord(wordIn(value))) };
    });
    return { batches, stop: () => subscription.drain() };
  }

  /** Makes the consumers that groups of handlers want, as the feed consumer does. */
  async playsFeedConsumer(): Promise<void> {
    this.feedConsumer = await makeConsumers(await this.as('feed-consumer'), FEED.stream!, silentLog);
  }

  async parked(): Promise<number> {
    return (await (await this.operator.manager()).streams.info('PARKED')).state.messages;
  }

  async lastParked(consumer: string): Promise<StoredMsg> {
    return (await (await this.operator.manager()).streams.getMessage('PARKED', { last_by_subj: `codase.parked.v1.${consumer}` }))!;
  }

  /** Events that a group has not acked, those that were not handed out yet included. */
  async unacked(group: string): Promise<number> {
    const consumers = await Promise.all(PARTITIONS.map((partition) => this.consumer(group, partition)));
    return consumers.reduce((sum, { num_pending, num_ack_pending }) => sum + num_pending + num_ack_pending, 0);
  }

  /** How often the events of a person's partition were handed out. */
  async deliveries(group: string, person: string): Promise<number> {
    return (await this.consumer(group, partitionOf(person))).delivered.consumer_seq;
  }

  /** Deletes the consumers of a group, as an operator does: the next start of the group gets everything from the beginning. */
  async forgetsConsumers(group: string): Promise<void> {
    const manager = await this.operator.manager();
    for (const partition of PARTITIONS)
      await manager.consumers.delete('FEED', groupConsumer('shop-backend', group, partition)).catch((error: Error) => {
        if (error.message !== 'consumer not found') throw error; // not found: already deleted, or just being created again
      });
  }

  private async consumer(group: string, partition: string) {
    return (await this.operator.manager()).consumers.info('FEED', groupConsumer('shop-backend', group, partition));
  }

  async seen(): Promise<string[]> {
    const { rows } = await this.pool.query<{ person: string; what: string }>('select person, what from seen order by n');
    return rows.map(({ person, what }) => `${person} ${what}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await Promise.all(this.buses.map((bus) => bus.close()));
    await this.nats.stop();
    await Promise.all(this.pools.map((pool) => pool.end()));
    await this.database.drop();
  }
}
