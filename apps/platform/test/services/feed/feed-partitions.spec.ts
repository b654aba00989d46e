import { setTimeout as pause } from 'node:timers/promises';
import { services, webhooks } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { execute, many, one, sql } from '@codase/runtime/db';
import { comesTrue } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { lockChannel, oldest } from '../../../src/services/feed/channel.store.ts';
import { emit, forgetSome, removeSome } from '../../../src/services/feed/index.ts';
import { FeedPartitions } from '../../../src/services/feed/feed-partitions.worker.ts';
import { FeedWorld } from './feed-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('feed rows', () => {
  let feed: FeedWorld;
  let today: number;
  beforeAll(async () => {
    feed = await FeedWorld.open();
    today = Date.parse(`${feed.now.slice(0, 10)}T12:00:00Z`);
  });
  afterAll(() => feed?.close());

  /** Runs the worker of a region whose clock shows another day. */
  const rotates = (day: number) => new FeedPartitions(feed.db, { now: () => new Date(today + day * DAY_MS) }, silentLog).rotate();
  /** Does the same, and again when a lock was not had in time, as the next round of the worker would. */
  const worksOn = (day: number) => comesTrue(() => rotates(day));
  const partition = (day: number) => `d${new Date(today + day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const days = async () => {
    const rows = await many<{ name: string }>(
      feed.db,
      sql`select tablename as name from pg_tables where schemaname = 'feed_day' order by 1`,
    );
    // The databases are copies of one that may have been made the day before.
    return rows.map(({ name }) => name).filter((name) => name !== 'other' && name >= partition(0));
  };
  const liesIn = async (flow_run_id: string) =>
    (
      await one<{ name: string }>(
        feed.db,
        sql`
      select relname as name from feed_event e join pg_class c on c.oid = e.tableoid where body ->> 'flow_run_id' = ${flow_run_id}`,
      )
    )?.name;
  const waits = async (service_id: string) => (await many(feed.db, sql`select from feed_event where service_id = ${service_id}`)).length;

  describe('daily partitions of the feed @spec D1-8', () => {
    it('are created ahead', async () => {
      expect(await days()).toEqual([0, 1, 2, 3].map(partition));
    });

    it('are dropped with their rows after seven days', async () => {
      await feed.happens(...feed.turns(1));
      expect(await liesIn('run_0')).toBe(partition(0));

      await worksOn(7);
      expect(await liesIn('run_0')).toBe(partition(0));
      await worksOn(8);
      expect(await liesIn('run_0')).toBeUndefined();
      expect(await days()).toEqual([1, 2, 3, 7, 8, 9, 10, 11].map(partition));
    });

    it('a row of a day without a partition is stored in the default one, and deleted in time', async () => {
      await feed.passes({ hours: 20 * 24 });
      await feed.happens(...feed.turns(1, 20));
      expect(await liesIn('run_20')).toBe('other');

      await worksOn(20);
      expect(await liesIn('run_20')).toBe('other');
      await worksOn(28);
      expect(await liesIn('run_20')).toBeUndefined();
    });
  });

  it('remain two hours longer than seven days, so that the delivery can report what a webhook lost @spec D1-6.3', async () => {
    await execute(
      feed.db,
      sql`select feed_make_days(${new Date(today).toISOString().slice(0, 10)}::date, ${new Date(today).toISOString().slice(0, 10)}::date)`,
    );
    const midnight = 8 - 0.5;

    await worksOn(midnight + 1.9 / 24);
    expect(await days()).toContain(partition(0));
    await worksOn(midnight + 2.1 / 24);
    expect(await days()).not.toContain(partition(0));
  });

  const leases = (channel: string, company_user_id: string) =>
    execute(
      feed.db,
      sql`
      insert into feed_lease (channel, company_user_id, lease, seqs, created_at)
      values (${channel}, ${company_user_id}, ${`lease_${channel}`}, '{}', ${feed.now})`,
    );
  const leased = async () => (await many<{ channel: string }>(feed.db, sql`select channel from feed_lease`)).map(({ channel }) => channel);

  it('leases are deleted after seven days, also of a company that no longer exists @gap D1-4.3', async () => {
    await leases('ser_here', feed.world.acme.user_id);
    await leases('ser_gone', 'usr_gone');

    await new FeedPartitions(feed.db, { now: () => new Date(Date.parse(feed.now) + 6 * DAY_MS) }, silentLog).rotate();
    expect((await leased()).toSorted()).toEqual(['ser_gone', 'ser_here']);
    await new FeedPartitions(feed.db, { now: () => new Date(Date.parse(feed.now) + 8 * DAY_MS) }, silentLog).rotate();
    expect(await leased()).toEqual([]);
  });

  it('partitions are created and dropped while drains are in progress', async () => {
    const day = (ahead: number) => new Date(today + ahead * DAY_MS).toISOString().slice(0, 10);
    const drains = (name: string) =>
      feed.db.transaction(async (tx) => {
        await lockChannel(tx, name, { withinMs: 10_000 });
        await oldest(tx, { company_user_id: feed.world.acme.user_id, channel: name }, { now: new Date(), limit: 1 });
        done.push(`${name} reads`);
        await pause(600); // longer than a statement waits for a table
        done.push(name);
      });
    const done: string[] = [];

    const first = drains('first');
    await comesTrue(async () => expect(done).toEqual(['first reads']));
    const made = one<{ made: number }>(feed.db, sql`select feed_make_days(${day(50)}::date, ${day(50)}::date) as made`);
    await comesTrue(async () => expect(await lockWaits(feed.db, 'advisory')).toBe(1));
    const second = drains('second');

    expect(await made).toEqual({ made: 1 });
    expect(done).toEqual(['first reads', 'first']);
    await Promise.all([first, second]);
    const third = drains('third');
    await comesTrue(async () => expect(done).toContain('third reads'));
    expect(await days()).toContain(partition(50));
    await one(feed.db, sql`select feed_drop_days(${day(51)}::date)`);
    expect(await days()).not.toContain(partition(50));
    await third;
  });

  it('expired leases are deleted even when the rotation fails because a table is locked', async () => {
    await leases('ser_old', feed.world.acme.user_id);
    await feed.db.transaction(async (tx) => {
      await execute(tx, sql`select from feed_event limit 1`);
      await expect(rotates(70)).rejects.toThrow('lock timeout');
      expect(await leased()).toEqual([]);
    });
  });

  describe('feed rows of a deleted webhook or service', () => {
    const newService = async () => {
      const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
      const body = {
        name: 'Club',
        admin_email: 'club@acme.example',
        public_key,
        encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const },
      };
      const { id } = await feed.world.acme.asks(services.createService, { body });
      const hook = await feed.world.acme.asks(webhooks.createWebhook, { params: { id }, body: { url: 'https://hooks.acme.example' } });
      const event = {
        event: 'flow_completed',
        flow_run_id: 'run_1',
        person_user_id: 'usr_demo_ana',
        share_code: 'ANA',
        at: feed.now,
      } as const;
      await feed.db.transaction((tx) => emit(tx, [{ company_user_id: feed.world.acme.user_id, service_id: id, event }]));
      expect(await waits(id)).toBe(2);
      for (const channel of [id, hook.id]) await leases(channel, feed.world.acme.user_id);
      return { id, webhookId: hook.id };
    };

    const queues = (channel: string, events: number) =>
      execute(
        feed.db,
        sql`
        insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
        select ${channel}, ${feed.now}::timestamptz - n % 3 * interval '1 day', ${feed.world.acme.user_id}, 'ser_none',
               'connection_created', '{}'
          from generate_series(1, ${events}::integer) n`,
      );
    const queued = async (channel: string) => (await many(feed.db, sql`select from feed_event where channel = ${channel}`)).length;

    it('are deleted in batches, the oldest of each channel first', async () => {
      const { id, webhookId } = await newService();
      await queues(id, 11);
      await queues(webhookId, 5);
      const forgets = () => feed.db.transaction((tx) => forgetSome(tx, { service_id: id }, 10));

      expect([await forgets(), await forgets(), await forgets()]).toEqual([10, 8, 0]);
      await queues(webhookId, 3);
      const removes = () => feed.db.transaction((tx) => removeSome(tx, webhookId, 2));
      expect([await removes(), await removes(), await removes()]).toEqual([2, 1, 0]);
      await feed.world.acme.asks(services.deleteService, { params: { id } });
    });

    it('are deleted with their webhook @spec D1-6.3', async () => {
      const { id, webhookId } = await newService();
      await queues(webhookId, 6000);
      await feed.world.acme.asks(webhooks.deleteWebhook, { params: { id, webhookId } });
      expect(await queued(webhookId)).toBe(0);
      expect(await waits(id)).toBe(1);
      expect(await leased()).toEqual([id]);
    });

    it('are deleted with their service', async () => {
      const { id, webhookId } = await newService();
      for (const channel of [id, webhookId]) await queues(channel, 6000);
      await feed.world.acme.asks(services.deleteService, { params: { id } });
      for (const channel of [id, webhookId]) expect(await queued(channel)).toBe(0);
      expect(await waits(id)).toBe(0);
      for (const channel of [id, webhookId]) expect(await leased()).not.toContain(channel);
    });
  });
});
