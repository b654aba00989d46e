import type { FeedEvent } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, one, openDatabase, sql } from '@codase/runtime/db';
import { ShardLeases } from '@codase/runtime/resilience/leases';
import { silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, eventually, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { migrateFeedConsumer } from '../src/index.ts';
import { ResendBus } from '../src/publish/resend.bus.ts';
import { ChannelsStore } from '../src/pull/channels.store.ts';
import { Drains } from '../src/pull/drains.service.ts';
import { SpoolLimit } from '../src/spool/spool-limit.service.ts';
import { Spool } from '../src/spool/spool.store.ts';
import { spooled } from '../src/spool/spooled-event.ts';
import { Deliveries } from '../src/webhooks/deliveries.service.ts';

const { measured } = collectTelemetry();
const MAX = 10 * 1024;
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);
const WEBHOOK = { mode: 'webhook', webhook_id: 'whk_1', auth: { auth_type: 'none' }, encrypt_payload: false } as const;
const NOBODY = undefined as never; // stands for parts that these tests never call

class CountedSpool extends Spool {
  checks = 0;

  override sizes(services: readonly string[]): Promise<Map<string, number>> {
    this.checks += 1;
    return super.sizes(services);
  }
}

describe('spool limit', () => {
  let database: TestDatabase;
  let db: DataSource;
  const clock = new ManualClock('2026-03-02T10:00:00Z');
  let spool: CountedSpool;
  let limit: SpoolLimit;
  beforeEach(async () => {
    database = await testDatabase();
    await migrateFeedConsumer({ url: database.owner });
    db = await openDatabase({ url: database.app, name: 'story', pool: 4 });
    spool = new CountedSpool(db, clock);
    limit = new SpoolLimit(spool, { shop: WEBHOOK, club: WEBHOOK }, { idleMs: 1, keptMs: 1, spoolBytes: MAX }, silentLog);
    await execute(db, sql`insert into channel (service) values ('shop'), ('club')`);
  });
  afterEach(async () => {
    limit?.beforeApplicationShutdown();
    await db?.destroy();
    await database?.drop();
  });

  const event = (id: string): FeedEvent => ({
    event: 'flow_completed',
    id,
    person_user_id: 'usr_1',
    share_code: null,
    at: clock.now().toISOString(),
    flow_run_id: id,
  });
  const fills = () => {
    const events = Array.from({ length: 10 }, (_, n) => spooled(event(`evt_${n}`)));
    return spool.transaction('shop', (tx) => spool.add(tx, 'shop', events));
  };
  const publishesAll = async () => spool.published('events', await spool.oldest('events', SHARDS, { most: 500, bytes: 1e6 }));
  const rowsOf = async (service: string) => ({
    events: await many(db, sql`select seq, message_id from event where service = ${service} order by seq`),
    waiting: await many(db, sql`select seq from waiting where service = ${service} order by seq`),
  });
  const stored = async () => (await one<{ n: number }>(db, sql`select count(*)::int as n from event`))!.n;

  it('refuses deliveries of the full service with 503 until there is room, and accepts those of others @gap D1-6.3', async () => {
    const deliveries = new Deliveries({}, spool, limit, new ChannelsStore(db, clock), NOBODY, clock, silentLog);
    const take = (service: string, id: string) =>
      deliveries.take({ service, channel: WEBHOOK, body: Buffer.from(JSON.stringify(event(id))), isTest: false, isProven: false });
    await take('shop', 'first');
    await fills();

    // The limit reads the sizes once a second. After the first delivery it may still assume that there is space.
    const refusal = await eventually(async () =>
      take('shop', 'one more').then(
        () => undefined,
        (error: unknown) => error as object,
      ),
    );
    await take('club', 'of another');

    expect(refusal).toMatchObject({ key: 'feed_consumer.spool_full', status: 503, retryAfter: 5 });
    const before = await stored();
    await publishesAll();
    await eventually(async () =>
      take('shop', 'repeated').then(
        () => true,
        () => undefined,
      ),
    );
    expect(await stored()).toBe(before + 1);
  });

  it('refuses to start a drain that could not be stored, and writes no drain note', async () => {
    const drains = new Drains(NOBODY, new ChannelsStore(db, clock), spool, limit, NOBODY, NOBODY, clock, silentLog);
    const leases = new ShardLeases(db, silentLog, { kind: 'pull', names: ['shop'], owner: 'one', seconds: 30 });
    await leases.renew();
    await fills();

    const drain = drains.drain(leases.held('shop')!, { timeout: 1000, isHeld: () => true, isComparing: false });

    await expect(drain).rejects.toMatchObject({ key: 'feed_consumer.spool_full' });
    expect(await one(db, sql`select draining_since from channel where service = 'shop'`)).toEqual({ draining_since: null });
  });

  it.each([false, true])('limits a resend to the room that is left, and writes nothing when there is none: lost %s', async (lost) => {
    const channels = { shop: WEBHOOK, club: WEBHOOK };
    const resends = new ResendBus(channels, spool, clock, { idleMs: 1, keptMs: 1, spoolBytes: MAX });
    const [from, to] = [clock.now().toISOString(), new Date(clock.now().getTime() + 1).toISOString()];
    const ask = (after = '0') => resends.resend({ from, to, after, most: 100, lost }, { values: { service: 'shop' } });
    await fills();
    await publishesAll();
    clock.passes(1000);

    // Ten events of some bytes more than 1 KiB each were published. The answer has as many as reach the limit.
    const first = await ask();
    expect(first).toEqual({ events: 9, next: expect.any(String) });
    const before = await rowsOf('shop');
    await expect(ask(first.next!)).rejects.toMatchObject({ key: 'feed_consumer.spool_full', retryAfter: 5 });
    expect(await rowsOf('shop')).toEqual(before);

    await publishesAll();
    expect(await ask(first.next!)).toEqual({ events: 1, next: null });
  });

  it('reads the spool sizes at most once a second, however often events are stored and published', async () => {
    const before = spool.checks;

    for (let turn = 0; turn < 3; turn++) {
      await limit.check('shop');
      await fills();
      await publishesAll();
    }

    expect(spool.checks - before).toBe(1);
  });

  it("is reported as a metric, with the size of each service's spool", async () => {
    await fills();

    const all = await measured();
    const sizes = all.filter(({ name }) => name === 'codase.feed.spool.size');

    const sizeOf = (service: string) => sizes.find(({ attributes }) => attributes['codase.service'] === service)!.value as number;
    expect(sizeOf('shop')).toBeGreaterThan(MAX);
    expect(sizeOf('club')).toBe(0);
    expect(all.filter(({ name }) => name === 'codase.feed.spool.limit').map(({ value }) => value)).toEqual([MAX]);
  });
});
