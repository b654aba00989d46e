import { FEED_PARTITIONS, type FeedEvent } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, migrate, one, openDatabase, sql } from '@codase/runtime/db';
import { eventually, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FEED_CONSUMER_MIGRATIONS } from '../src/index.ts';
import { Spool, type Fresh, type Kind } from '../src/spool/spool.store.ts';
import { spooled, unreadable, type Spooled } from '../src/spool/spooled-event.ts';
import { EarlierRelease } from './earlier-release.ts';

const SHARDS = Array.from({ length: FEED_PARTITIONS }, (_, shard) => shard);
const PLENTY = { most: 500, bytes: 1e6 };
const ANY_TIME = { from: new Date(0), to: new Date('2999-01-01'), after: '0', most: 100, mayWaitBytes: 1e9 };
const DAY_MS = 24 * 60 * 60 * 1000;

const message = (id: string): Spooled =>
  spooled({
    event: 'flow_completed',
    id,
    person_user_id: `usr_${id}`,
    share_code: 'ÅSA',
    at: '2026-03-02T10:00:00Z',
    flow_run_id: 'run_1',
  });
const city = (id: string): Spooled =>
  spooled({ event: 'field_deleted', id, person_user_id: 'usr_1', share_code: null, at: '2026-03-02T10:00:00Z', slug: 'city' } as FeedEvent);
const messages = (name: string, count: number) => Array.from({ length: count }, (_, n) => message(`${name}_${n}`));

describe('spool of events', () => {
  let database: TestDatabase;
  let db: DataSource;
  let clock: ManualClock;
  let spool: Spool;
  let earlier: EarlierRelease;
  const migrates = (count: number) => migrate({ url: database.owner, name: 'story', migrations: FEED_CONSUMER_MIGRATIONS.slice(0, count) });
  beforeEach(async () => {
    database = await testDatabase();
    await migrates(2);
    db = await openDatabase({ url: database.app, name: 'story', pool: 4 });
    clock = new ManualClock();
    [spool, earlier] = [new Spool(db, clock), new EarlierRelease(db, () => clock.now())];
    await execute(db, sql`insert into channel (service) values ('shop'), ('club')`);
  });
  afterEach(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const stores = (service: string, events: readonly Spooled[]) => spool.transaction(service, (tx) => spool.add(tx, service, events));
  const publishes = async (limits = PLENTY, kind: Kind = 'events') => {
    const waiting = await spool.oldest(kind, SHARDS, limits);
    await spool.published(kind, waiting);
    return waiting;
  };
  const publishesIds = async (limits = PLENTY) => (await publishes(limits)).map(({ message_id }) => message_id);
  const lockWaits = async () =>
    (await one<{ n: number }>(
      db,
      sql`select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    ))!.n;
  const kept = async () => (await one<{ n: number }>(db, sql`select count(*)::int as n from event`))!.n;

  describe("with this release's schema", () => {
    beforeEach(() => migrates(3));

    it('returns stored events byte for byte, and detects a repeat for as long as the event is kept', async () => {
      const [event, strange] = [message('evt_1'), unreadable(Buffer.from([0xff, 0x00, 0x27, 0x5c]), clock.now())];
      expect(await stores('shop', [event, strange, event])).toBe(2);

      const [published, parked] = [await publishes(), await publishes(PLENTY, 'unreadable')];

      expect(published).toMatchObject([{ ...event, service: 'shop', mark: null, received_at: clock.now() }]);
      expect(parked.map(({ body }) => body)).toEqual([strange.body]);
      expect([await stores('shop', [event]), await stores('club', [event])]).toEqual([0, 1]);
      expect((await publishes()).map(({ service }) => service)).toEqual(['club']);
    });

    it('passes on newly stored events with all their columns, and says whether older ones of the service wait', async () => {
      const heard: [string, Fresh | undefined][] = [];
      spool.onStored((service, fresh) => heard.push([service, fresh]));
      const strange = unreadable(Buffer.from([0xff]), clock.now());

      await stores('shop', [message('evt_1'), strange, message('evt_1'), { ...message('evt_2'), traceparent: '00-a-b-01' }]);
      const found = [...(await spool.oldest('events', SHARDS, PLENTY)), ...(await spool.oldest('unreadable', SHARDS, PLENTY))];
      await stores('club', messages('club', 1));
      await stores('shop', [message('evt_1'), message('evt_3')]);
      await publishes();
      await stores('shop', [message('evt_4')]);
      await spool.resend('shop', 'again', ANY_TIME);

      const first = heard[0]![1]!;
      expect(new Map(first.events.map((event) => [event.seq, event]))).toEqual(new Map(found.map((event) => [event.seq, event])));
      expect(heard.map(([service, fresh]) => [service, fresh?.events.length, fresh?.areFirst])).toEqual([
        ['shop', 3, true],
        ['club', 1, true],
        ['shop', 0, false], // the first events still wait
        ['shop', 1, true], // the unreadable event still waits, but in a queue of its own
        ['shop', undefined, undefined],
      ]);
    });

    it('passes on no events of a large batch, which the next read of the spool returns', async () => {
      const heard: (Fresh | undefined)[] = [];
      spool.onStored((_, fresh) => heard.push(fresh));

      await stores('shop', messages('shop', 51));

      expect(heard).toEqual([{ events: [], areFirst: false }]);
      expect(await spool.oldest('events', SHARDS, PLENTY)).toHaveLength(51);
    });

    it('waits for another replica that is storing, and so knows that its event comes first', async () => {
      const other = new Spool(db, clock);
      const heard: boolean[] = [];
      spool.onStored((_, fresh) => heard.push(fresh!.areFirst));
      let stored: Promise<unknown> | undefined;

      await other.transaction('shop', async (tx) => {
        await other.add(tx, 'shop', [message('evt_1')]);
        stored = stores('shop', [message('evt_2')]);
        await eventually(async () => (await lockWaits()) || undefined);
      });
      await stored;

      expect(heard).toEqual([false]);
    });

    it('alternates between services, each in its own order, so that a flood does not delay the few events of others', async () => {
      const flood = messages('shop', 3000);
      await stores('shop', flood);
      await stores('club', messages('club', 3));

      const ids = await publishesIds();

      expect(ids.slice(0, 6)).toEqual(['club_0', 'shop_0', 'club_1', 'shop_1', 'club_2', 'shop_2']);
      expect(ids).toHaveLength(500);
      const shops = ids.filter((id) => id.startsWith('shop'));
      for (let batch = await publishesIds(); batch.length; batch = await publishesIds()) shops.push(...batch);
      expect(shops).toEqual(flood.map(({ message_id }) => message_id));
    });

    it('alternates between more services than a batch can hold', async () => {
      const services = Array.from({ length: 30 }, (_, n) => `service_${n}`);
      for (const service of services) await stores(service, messages(service, 20));

      const batches = [await publishes({ most: 20, bytes: 1e6 }), await publishes({ most: 20, bytes: 1e6 })];

      expect(batches.map((batch) => batch.length)).toEqual([20, 20]);
      expect(new Set(batches.flat().map(({ service }) => service)).size).toBe(30);
    });

    it('returns as many events as fit the byte limit, and at least one', async () => {
      await stores('shop', messages('shop', 3));
      const { length } = message('shop_0').body;

      expect((await publishes({ most: 10, bytes: 1 })).length).toBe(1);
      expect((await publishes({ most: 10, bytes: length + 1 })).length).toBe(2);
    });

    it('returns only a small batch of one service while others have events too', async () => {
      await stores('shop', messages('shop', 120));
      expect(await publishes()).toHaveLength(120);
      await stores('club', messages('club', 1));
      expect(await publishes()).toHaveLength(1);

      await stores('shop', messages('shops', 90));
      await stores('club', messages('clubs', 2));
      expect(await publishes()).toHaveLength(62);
      clock.passes(60_000);
      expect(await publishes()).toHaveLength(30);
    });

    it('finds the events of another replica when nothing was waiting before', async () => {
      expect(await publishes()).toEqual([]);
      const other = new Spool(db, clock);
      await other.transaction('shop', (tx) => other.add(tx, 'shop', messages('shop', 2)));

      expect(await publishesIds()).toEqual(['shop_0', 'shop_1']);
    });

    it('returns only events of the requested shards', async () => {
      await stores('shop', messages('shop', 50));

      const some = await spool.oldest('events', [1, 2], PLENTY);

      expect(some.length).toBeGreaterThan(0);
      expect(new Set(some.map(({ shard }) => shard))).toEqual(new Set([1, 2]));
    });

    it('deletes events that were published long ago, and none that wait', async () => {
      await stores('shop', messages('shop', 2));
      await publishes();
      await stores('shop', [message('waits')]);
      clock.passes(8 * DAY_MS);
      await stores('club', messages('club', 1));
      await publishes({ most: 0, bytes: 1 });
      const before = new Date(clock.now().getTime() - 7 * DAY_MS);

      expect([await spool.forget(before, 1), await spool.forget(before, 10), await spool.forget(before, 10)]).toEqual([1, 1, 0]);
      expect(await publishesIds()).toEqual(['club_0', 'waits']);
    });

    it('resends a range as copies after all stored events, or as the originals when a stream lost them', async () => {
      await stores('shop', [city('old'), message('evt_1'), city('new'), message('evt_2')]);
      await publishes();
      await stores('shop', [message('later')]);
      clock.passes(1000);

      expect((await spool.resend('shop', 'again', ANY_TIME)).positions).toHaveLength(3);
      expect(await publishesIds()).toEqual(['later', 'evt_1:again', 'new:again', 'evt_2:again']);
      const lost = { ...ANY_TIME, to: clock.now() };
      clock.passes(1000);
      expect((await spool.resend('shop', null, lost)).positions).toHaveLength(4);
      expect(await spool.resend('shop', null, lost)).toEqual({ positions: [], found: 0 });
      expect(await publishesIds()).toEqual(['evt_1', 'new', 'evt_2', 'later']);
      expect(await stores('shop', [message('evt_1')])).toBe(0);
    });
  });

  describe('beside a running earlier release', () => {
    it('has the events that the earlier release stored and published, in their order', async () => {
      await earlier.add('shop', messages('before', 3));
      await earlier.publishes('event is not null', 1);
      await earlier.add('shop', [unreadable(Buffer.from('<x/>'), clock.now())]);
      await migrates(3);

      await stores('shop', [...messages('before', 3), message('after')]);

      expect(await publishesIds()).toEqual(['before_1', 'before_2', 'after']);
      expect((await publishes(PLENTY, 'unreadable')).map(({ body }) => body.toString())).toEqual(['<x/>']);
      expect(await kept()).toBe(5);
    });

    it('keeps one order and publishes nothing twice, whichever release stores and publishes', async () => {
      await migrates(3);
      const published: string[] = [];
      const byEarlier = async () => (await earlier.publishes('event is not null', 3)).map(({ message_id }) => message_id);
      for (let turn = 0; turn < 4; turn++) {
        await earlier.add('shop', [message(`earlier_${turn}`), message(`this_${turn - 1}`)]);
        await stores('shop', [message(`this_${turn}`), message(`earlier_${turn}`)]);
        published.push(...(turn % 2 ? await publishesIds({ most: 1, bytes: 1e6 }) : await byEarlier()));
      }
      published.push(...(await byEarlier()), ...(await publishesIds()), ...(await byEarlier()));

      expect(published.filter((id) => id !== 'this_-1')).toEqual([0, 1, 2, 3].flatMap((turn) => [`earlier_${turn}`, `this_${turn}`]));
      expect(await kept()).toBe(9);
    });

    it('lets either release delete published events, and neither deletes those that wait', async () => {
      await migrates(3);
      await stores('shop', messages('shop', 3));
      await publishes({ most: 1, bytes: 1e6 });
      await earlier.publishes('event is not null', 1);
      clock.passes(DAY_MS);

      expect([await earlier.forget(clock.now(), 1), await spool.forget(clock.now(), 10), await earlier.forget(clock.now(), 10)]).toEqual([
        1, 1, 0,
      ]);
      expect(await publishesIds()).toEqual(['shop_2']);
    });

    it('publishes the resent copies of the earlier release, which refuses to resend lost events on this schema', async () => {
      await migrates(3);
      await stores('shop', messages('shop', 2));
      await publishes();

      expect(await earlier.resend('shop', 'again', ANY_TIME)).toHaveLength(2);
      expect(await publishesIds()).toEqual(['shop_0:again', 'shop_1:again']);
      await expect(earlier.resend('shop', null, ANY_TIME)).rejects.toThrow('takes the release that made this schema');
      expect(await kept()).toBe(4);
    });
  });
});
