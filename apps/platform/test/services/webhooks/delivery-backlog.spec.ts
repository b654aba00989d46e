import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue } from '@codase/testing';
import type { EntityManager } from 'typeorm';
import { lockChannels } from '../../../src/services/feed/index.ts';
import { BacklogsStore } from '../../../src/services/webhooks/delivery/backlogs.store.ts';
import { ALL_SHARDS } from '../../../src/services/webhooks/delivery/shards.ts';
import { DeliveryWorld } from './delivery-world.ts';

describe('alerts about an old webhook backlog @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open();
  });
  afterAll(() => world?.close());

  it('come daily after two days and hourly after five, and the backlog is deleted after seven @spec D1-8', async () => {
    const receiver = await world.receiver();
    const hook = await world.hook(receiver);
    receiver.answer({ status: 500 });
    await world.connect('user_1');
    await comesTrue(async () => expect((await world.read(hook)).health.state).toBe('bad'));
    const logged = async (kind: string) =>
      (await world.db.query('select message from service_log where webhook_id = $1 and kind = $2', [hook.id, kind])) as {
        message: string;
      }[];
    const reported = (times: number) => comesTrue(async () => expect(await logged('webhook_stale')).toHaveLength(times));

    await world.passes({ days: 2 });
    await reported(1);
    await world.passes({ days: 1 });
    await reported(2);
    await world.passes({ days: 2 });
    await reported(3);
    await world.passes({ hours: 1 });
    await reported(4);
    expect(await world.queued(hook)).toHaveLength(1);
    await world.passes({ days: 2 });
    await comesTrue(async () => expect(await logged('webhook_purged')).toEqual([{ message: expect.stringContaining('1 events') }]));
    expect(await world.queued(hook)).toEqual([]);
  });

  it('are written in batches, so that any number of backlogs is covered', async () => {
    const [store, daysLater] = [new BacklogsStore(world.db), new Date(world.now.getTime() + 3 * 24 * 3_600_000)];
    await execute(
      world.db,
      sql`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health_since, created_at)
      select 'wh_many_' || i, ${world.world.acme.user_id}, ${world.service_id}, 'https://hooks.example', '{}', 'json', 'none', false,
             false, '', ${world.now}, ${world.now}
        from generate_series(1, 502) i`,
    );
    await execute(
      world.db,
      sql`
      insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
      select webhook_id, ${world.now}, company_user_id, service_id, 'connection_created', '{}' from webhook
        where webhook_id like 'wh_many_%'`,
    );

    expect(await store.tend(ALL_SHARDS, daysLater)).toEqual({ stale: 500, purged: 0 });
    expect(await store.tend(ALL_SHARDS, daysLater)).toEqual({ stale: 2, purged: 0 });
    expect(await store.tend(ALL_SHARDS, daysLater)).toEqual({ stale: 0, purged: 0 });
  });
});

describe('a locked webhook backlog @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
  });
  afterAll(() => world?.close());

  it.each<[string, (tx: EntityManager, hook: { id: string }) => Promise<unknown>]>([
    ['with its service', (tx) => many(tx, sql`select from service where service_id = ${world.service_id} for update`)],
    ['with its webhook', (tx, { id }) => many(tx, sql`select from webhook where webhook_id = ${id} for update`)],
    ['by a drain', (tx, { id }) => lockChannels(tx, [id])],
  ])('is skipped until the next round when it is locked %s', async (_, holds) => {
    const [store, daysLater] = [new BacklogsStore(world.db), new Date(world.now.getTime() + 3 * 24 * 3_600_000)];
    const hook = await world.hook({ url: 'https://hooks.example' });
    await world.connect('user_1');

    await world.db.transaction(async (tx) => {
      await holds(tx, hook);
      expect(await store.tend(ALL_SHARDS, daysLater)).toEqual({ stale: 0, purged: 0 });
    });
    expect(await store.tend(ALL_SHARDS, daysLater)).toEqual({ stale: 1, purged: 0 });
    await world.remove(hook);
  });
});

describe('a webhook backlog, by its age and last alert @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
  });
  afterAll(() => world?.close());

  const ago = (hours: number) => new Date(world.now.getTime() - hours * 3_600_000);
  let nth = 0;
  const backlog = async ({ oldest, alerted = null, enabled = true }: { oldest: number; alerted?: number | null; enabled?: boolean }) => {
    const id = `wh_aged_${(nth += 1)}`;
    await execute(
      world.db,
      sql`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health, health_since, alerted_at, created_at)
      values (${id}, ${world.world.acme.user_id}, ${world.service_id}, 'https://hooks.example', '{}', 'json', 'none', false,
              ${enabled}, '', 'running', ${world.now}, ${alerted === null ? null : ago(alerted)}, ${world.now})`,
    );
    await execute(
      world.db,
      sql`
      insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
      values (${id}, ${ago(oldest)}, ${world.world.acme.user_id}, ${world.service_id}, 'connection_created', '{}')`,
    );
  };
  afterEach(() => execute(world.db, sql`delete from webhook where webhook_id like 'wh_aged_%'`));
  const tended = () => new BacklogsStore(world.db).tend(ALL_SHARDS, world.now);

  it.each<[string, Parameters<typeof backlog>[0], { stale: number; purged: number }]>([
    ['is not told of before two days', { oldest: 47 }, { stale: 0, purged: 0 }],
    ['is told of at two days, however well its endpoint answers', { oldest: 48 }, { stale: 1, purged: 0 }],
    ['is told of when it is disabled too', { oldest: 48, enabled: false }, { stale: 1, purged: 0 }],
    ['is not told of again within the day', { oldest: 60, alerted: 12 }, { stale: 0, purged: 0 }],
    ['is told of again after a day', { oldest: 72, alerted: 24 }, { stale: 1, purged: 0 }],
    ['is told of hourly from five days on', { oldest: 120, alerted: 1 }, { stale: 1, purged: 0 }],
    ['is not told of more often than that', { oldest: 121, alerted: 0.5 }, { stale: 0, purged: 0 }],
    ['is another one after the last was gone', { oldest: 48, alerted: 60 }, { stale: 1, purged: 0 }],
    ['is lost at seven days, and that is told', { oldest: 7 * 24 }, { stale: 1, purged: 1 }],
  ])('%s', async (_, aged, reported) => {
    await backlog(aged);

    expect(await tended()).toEqual(reported);
  });
});
