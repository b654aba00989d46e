import { ManualClock } from '@codase/runtime/clock';
import { execute, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { migrateFeedConsumer } from '../src/index.ts';
import { ShardLeases } from '@codase/runtime/resilience/leases';
import { ChannelsStore } from '../src/pull/channels.store.ts';

describe('drain note of a channel', () => {
  let database: TestDatabase;
  let db: DataSource;
  let clock: ManualClock;
  let channels: ChannelsStore;
  beforeEach(async () => {
    database = await testDatabase();
    await migrateFeedConsumer({ url: database.owner });
    db = await openDatabase({ url: database.app, name: 'story', pool: 4 });
    clock = new ManualClock();
    channels = new ChannelsStore(db, clock);
    await channels.ensure({ shop: { mode: 'pull' } });
  });
  afterEach(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const holder = async (owner: string) => {
    const leases = new ShardLeases(db, silentLog, { kind: 'pull', names: ['shop'], owner, seconds: 30 });
    await leases.renew();
    return leases.held('shop')!;
  };
  const stands = async () => (await one<{ stands: boolean }>(db, sql`select draining_since is not null as stands from channel`))!.stands;

  it('is preceded by one baseline, which a channel also gets when it changes from webhook to pull', async () => {
    await channels.ensure({ shop: { mode: 'pull' }, desk: { mode: 'webhook' } });
    expect(await channels.reconcileOf('desk')).toBeUndefined();
    await channels.ensure({ shop: { mode: 'pull' }, desk: { mode: 'pull' } });
    expect(await channels.reconcileOf('desk')).toMatchObject({ reconcile: 'baseline' });

    await channels.compared(db, 'shop', null);
    await channels.note(await holder('one'));
    await channels.drained(db, await holder('one'), clock.now(), null);
    await channels.ensure({ shop: { mode: 'pull' } });
    expect(await channels.reconcileOf('shop')).toBeUndefined();
  });

  it('is cleared when the drain took nothing', async () => {
    const lease = await holder('one');
    await channels.note(lease);

    await channels.undrained(lease);

    expect(await stands()).toBe(false);
    expect(await channels.note(lease)).toMatchObject({ lost: false });
  });

  it('is written when the platform refuses to wait for the acknowledgement of a drain that has none', async () => {
    const lease = await holder('one');
    await execute(db, sql`update channel set drain_lease = 'lease_1'`);

    await channels.unacknowledged(lease, clock.now());

    expect(await channels.note(lease)).toMatchObject({ lost: true });
  });

  it('cannot be cleared by a former owner of the channel', async () => {
    const former = await holder('one');
    await channels.note(former);
    await execute(db, sql`update lease set until = '-infinity'`);
    const lease = await holder('two');
    await channels.note(lease);

    await expect(channels.undrained(former)).rejects.toMatchObject({ name: 'LeaseLost' });

    expect(await stands()).toBe(true);
  });

  it('reports a loss once the platform no longer waits for acknowledgements', async () => {
    const lease = await holder('one');
    await execute(db, sql`update channel set drain_lease = 'lease_1'`);
    await channels.note(lease);
    expect(await channels.note(lease)).toMatchObject({ lost: false, awaited: true });

    await channels.unacknowledged(lease, clock.now());

    expect(await channels.note(lease)).toMatchObject({ lost: true, awaited: false });
    expect(await channels.reconcileOf('shop')).toMatchObject({ reconcile: 'compare', run: 2 });
  });
});
