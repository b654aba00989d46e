import { setTimeout as pause } from 'node:timers/promises';
import { COMPARE, FEED, FeedEvent, PARKED, RECONCILED_HEADER, Refusal, RESEND, RESENT_HEADER, STATUS } from '@codase/contracts';
import { execute, many, openDatabase, sql } from '@codase/runtime/db';
import { collectTelemetry, eventually, World } from '@codase/testing';
import { prepareFeed } from '../src/operator/prepare.service.ts';
import { PlayedGateway } from './played-gateway.ts';
import { quietDrains } from './quiet-drains.ts';

const { measured } = collectTelemetry();

describe('pull channel @spec D1-4.3', () => {
  let world: World;
  let gateway: PlayedGateway;
  beforeEach(async () => {
    world = await World.open({ units: [] });
    gateway = await PlayedGateway.open(world);
  });
  let db: Awaited<ReturnType<typeof openDatabase>> | undefined;
  afterEach(async () => {
    db = undefined;
    await world?.close();
  });

  const baseline = () => eventually(async () => (gateway.lists > 0 && gateway.drains > 1 ? true : undefined));
  const rows = async <Row>(query: ReturnType<typeof sql>) => {
    db ??= await world.opensDatabase('feed_consumer');
    return many<Row>(db, query);
  };

  it('publishes every event on the stream in order, with its context in the headers', async () => {
    gateway.perDrain = 7;
    for (let n = 0; n < 30; n++) gateway.edits(`usr_${n % 3}`, 'city', `value ${n}`);
    const sent = [...gateway.queue];
    await world.starts('feed-consumer');

    const streamed = await gateway.streamed(30);

    expect(streamed.map(({ event }) => event)).toEqual(sent);
    expect(new Set(streamed.filter(({ event }) => event.person_user_id === 'usr_1').map(({ subject }) => subject)).size).toBe(1);
    expect(streamed[0]!.subject).toMatch(/^codase\.feed\.v1\.shop\.field_updated\.p(0\d|1[0-5])$/);
    expect(['ce-id', 'ce-type', 'ce-source', 'ce-time'].map((name) => streamed[0]!.header(name))).toEqual([
      'evt_1',
      'field_updated',
      '/services/shop',
      '2026-03-02T10:00:00.000Z',
    ]);
    expect(FeedEvent.safeParse(streamed[0]!.event).success).toBe(true);
    expect(await eventually(async () => ((await rows(sql`select from spool`)).length === 0 ? 'empty' : undefined))).toBe('empty');
  });

  it('publishes an event of a kind that it does not know', async () => {
    const { id, event: _, ...every } = gateway.writes('usr_1');
    gateway.queue.splice(0, 1, { id, event: 'mood_changed', ...every } as never);
    const sent = [...gateway.queue];
    await world.starts('feed-consumer');

    const [later] = await gateway.streamed(1);

    expect(later!.event).toEqual(sent[0]);
    expect(later!.subject).toMatch(/^codase\.feed\.v1\.shop\.mood_changed\.p\d\d$/);
  });

  it('parks an event that it cannot read, and publishes the rest of the drain', async () => {
    const before = gateway.writes('usr_1');
    gateway.queue.push({ ...gateway.writes('usr_1'), body: 7 } as never);
    gateway.queue.splice(1, 1);
    const outcome = {
      event: '2fa_challenge_completed',
      challenge_id: 'chal_1',
      share_code: 'ANA',
      status: 'approved',
      completed_at: before.at,
    };
    gateway.queue.push(outcome as never);
    const after = gateway.writes('usr_2');
    await world.starts('feed-consumer');

    expect((await gateway.streamed(3)).map(({ event }) => event)).toEqual([before, { ...outcome, id: 'chal_1', at: before.at }, after]);
    const [parked] = await gateway.parked(1);
    expect([parked!.event, parked!.header('Codase-Reason')]).toEqual([
      expect.objectContaining({ id: 'evt_2', body: 7 }),
      'request.invalid',
    ]);
    expect(await rows(sql`select run from channel`)).toEqual([{ run: 1 }]);
  });

  it('publishes every event once while the stream PARKED is full', async () => {
    const manager = await gateway.bus.manager();
    const { config } = await manager.streams.info(PARKED.stream!);
    await manager.streams.update(PARKED.stream!, { ...config, max_msgs: 0, max_bytes: 1 });
    gateway.queue.push('no event' as never);
    const sent = [gateway.writes('usr_1'), gateway.writes('usr_2')];
    await world.starts('feed-consumer');

    expect((await gateway.streamed(2)).map(({ event }) => event)).toEqual(sent);
    const waiting = () => rows<{ event: string | null }>(sql`select event from spool`);
    await eventually(async () => ((await waiting()).length === 1 ? true : undefined));
    expect(await waiting()).toEqual([{ event: null }]);
    const failed = async () =>
      (await measured()).find(
        ({ name, value, attributes }) =>
          name === 'codase.feed.publish.failed' && (value as number) > 0 && attributes['messaging.destination.template'] === PARKED.pattern,
      );
    expect(await eventually(failed)).toBeDefined();
    const { checks } = await gateway.bus.request(STATUS, { name: 'feed-consumer' }, {});
    expect(checks['feed']).toMatch(/stored unreadable cannot be published: the stream of \S+ is full: raise its max_bytes/);

    await manager.streams.update(PARKED.stream!, config);
    await gateway.parked(1);
    await eventually(async () => ((await waiting()).length === 0 ? true : undefined));
  });

  it('reports in readiness that its stream is full or missing, and publishes the backlog once that is fixed', async () => {
    const { streams } = await gateway.bus.manager();
    const { config } = await streams.info(FEED.stream!);
    const note = (mend: RegExp) =>
      eventually(async () => {
        const { ready, checks } = await gateway.bus.request(STATUS, { name: 'feed-consumer' }, {});
        return ready && mend.test(checks['feed']!) ? true : undefined;
      });
    await streams.update(FEED.stream!, { ...config, max_bytes: 1 });
    const sent = gateway.writes('usr_1');
    await world.starts('feed-consumer');
    await note(/^ok, but stored events cannot be published: the stream of codase\.feed\.\S+ is full: raise its max_bytes/);

    await streams.delete(FEED.stream!);
    await note(/^ok, but stored events cannot be published: no stream takes codase\.feed\.\S+: run prepare of the app that owns it/);

    await prepareFeed(gateway.bus);
    expect((await gateway.streamed(1)).map(({ event }) => event)).toEqual([sent]);
    await note(/^ok$/);
  });

  it('detects a repeated event by its id, even when it was published long ago', async () => {
    const event = gateway.edits('usr_1', 'city', 'Lund');
    await world.starts('feed-consumer');
    await gateway.streamed(1);
    gateway.queue.push(event);
    gateway.edits('usr_1', 'city', 'Malmö');

    const streamed = await gateway.streamed(2);

    expect(streamed.map((message) => message.event.id)).toEqual(['evt_1', 'evt_2']);
  });

  it('continues after a refusal of the platform, without comparing', async () => {
    let refusals = 2;
    gateway.onTaken = () => {
      if (refusals-- > 0) throw new Refusal('rate_limit.exceeded');
    };
    await world.starts('feed-consumer');
    await eventually(async () => (refusals < 0 ? true : undefined));
    gateway.edits('usr_1', 'city', 'Lund');

    await gateway.streamed(1);

    const compared = await eventually(async () => (await rows<{ run: number }>(sql`select run from channel where reconcile is null`))[0]);
    expect(compared.run).toBe(1);
  });

  it('finds the events of a lost answer by comparing, and marks them as reconciled', async () => {
    gateway.edits('usr_stays', 'city', 'Lund', { told: false });
    gateway.edits('usr_moves', 'city', 'Lund', { told: false });
    gateway.edits('usr_moves', 'phone', '123', { told: false });
    gateway.edits('usr_leaves', 'city', 'Lund', { told: false });
    await world.starts('feed-consumer');
    await baseline();
    gateway.onTaken = (taken) => {
      if (taken.length) throw new Refusal('service.unavailable');
    };
    gateway.edits('usr_moves', 'city', 'Malmö');
    delete gateway.connections.get('usr_moves')!.values['phone'];
    gateway.edits('usr_comes', 'city', 'Umeå');
    gateway.leaves('usr_leaves');

    const streamed = await gateway.streamed(5);

    const found = streamed.map(({ event, header }) => [
      event.person_user_id,
      event.event,
      'slug' in event && event.slug,
      header(RECONCILED_HEADER),
    ]);
    expect(found.sort()).toEqual([
      ['usr_comes', 'connection_created', false, 'true'],
      ['usr_comes', 'field_updated', 'city', 'true'],
      ['usr_leaves', 'connection_deleted', false, 'true'],
      ['usr_moves', 'field_deleted', 'phone', 'true'],
      ['usr_moves', 'field_updated', 'city', 'true'],
    ]);
    expect(streamed.every(({ event }) => FeedEvent.safeParse(event).success)).toBe(true);
  });

  /**
   * Locks by a statement, and ends the connections that wait for the lock, again and again until it is enough. `locked` is called when the
   * statement has run.
   */
  const breaks = async (
    lock: ReturnType<typeof sql>,
    { isEnough, locked }: { isEnough: (ended: number) => boolean | Promise<boolean>; locked?: () => void },
  ) => {
    db ??= await world.opensDatabase('feed_consumer');
    await db.transaction(async (tx) => {
      await execute(tx, lock);
      locked?.();
      const ends = sql`select pg_terminate_backend(pid) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
      let ended = 0;
      await eventually(async () => {
        ended += (await many(tx, ends)).length;
        return (await isEnough(ended)) ? true : undefined;
      });
    });
  };

  it('stores events that the platform has already deleted, even when the database fails meanwhile', async () => {
    await world.starts('feed-consumer');
    await baseline();
    await eventually(async () => ((await rows(sql`select from channel where reconcile is null`)).length ? true : undefined));
    let broken: Promise<void> | undefined;
    gateway.onTaken = (taken) => {
      if (taken.length === 0 || broken) return undefined;
      const lock = sql`select from channel where service = 'shop' for update`;
      return new Promise<void>((locked) => (broken = breaks(lock, { isEnough: (ended) => ended > 0, locked })));
    };
    const sent = gateway.edits('usr_1', 'city', 'Lund');

    const [stored] = await gateway.streamed(1);
    await broken;

    expect([stored!.event, stored!.header(RECONCILED_HEADER)]).toEqual([sent, '']);
    expect(await rows(sql`select run from channel`)).toEqual([{ run: 1 }]);
  });

  it('does not report its stream as faulty after a single failure of the database', async () => {
    await world.starts('feed-consumer');
    await baseline();
    const failed = async () => {
      const rounds = (await measured()).filter(
        ({ name, attributes }) => name === 'codase.rounds.failed' && attributes['codase.check'] === 'publish_events',
      );
      return rounds.reduce((sum, { value }) => sum + (value as number), 0);
    };
    const before = await failed();

    await breaks(sql`lock table waiting in access exclusive mode`, { isEnough: async () => (await failed()) > before });

    const { checks } = await gateway.bus.request(STATUS, { name: 'feed-consumer' }, {});
    expect(checks['feed']).toBe('ok');
  });

  it('acknowledges stored events when the platform waits for that, and gets a lost answer again', async () => {
    gateway.leases = 'offered';
    gateway.perDrain = 2;
    let lost = 0;
    gateway.onTaken = (taken) => {
      if (taken.length && lost++ < 1) throw new Refusal('service.unavailable');
    };
    for (let n = 0; n < 5; n++) gateway.writes('usr_1');
    const sent = [...gateway.queue];
    await world.starts('feed-consumer');

    expect((await gateway.streamed(5)).map(({ event }) => event)).toEqual(sent);
    await eventually(async () => (gateway.queue.length === 0 ? true : undefined));
  });

  it('compares only after the feed is drained to its end, because waiting events are not lost', async () => {
    gateway.leases = 'offered';
    let unanswered = 3;
    gateway.onTaken = () => {
      if (unanswered-- > 0) throw new Refusal('service.unavailable');
    };
    let unlisted = 2;
    gateway.onListed = () => {
      if (unlisted-- > 0) throw new Refusal('service.unavailable');
    };
    const sent = gateway.edits('usr_1', 'city', 'Lund');
    await world.starts('feed-consumer');

    await eventually(async () => ((await rows(sql`select from channel where run > 1 and reconcile is null`)).length ? true : undefined));

    expect((await gateway.streamed(1)).map(({ event }) => event)).toEqual([sent]);
  });

  it('drains without acknowledging when the platform refuses acknowledgements', async () => {
    gateway.leases = 'refused';
    const event = gateway.writes('usr_1');
    await world.starts('feed-consumer');

    expect((await gateway.streamed(1)).map((message) => message.event)).toEqual([event]);
  });

  it('acknowledges again once the platform accepts acknowledgements', async () => {
    gateway.leases = 'refused';
    const event = gateway.writes('usr_1');
    await world.starts('feed-consumer');
    expect((await gateway.streamed(1)).map((message) => message.event)).toEqual([event]);

    gateway.leases = 'offered';
    await world.passes({ minutes: 10 });

    await eventually(async () => ((await rows(sql`select from channel where drain_lease is not null`)).length ? true : undefined));
  });

  it.each(['refused', 'ignored'] as const)(
    'finds a lost drain after the platform stopped waiting for acknowledgements: %s',
    async (leases) => {
      gateway.leases = 'offered';
      gateway.edits('usr_1', 'city', 'Lund', { told: false });
      await world.starts('feed-consumer');
      await baseline();
      await eventually(async () => ((await rows(sql`select from channel where drain_lease is not null`)).length ? true : undefined));
      let lost = 0;
      gateway.onTaken = (taken) => {
        if (taken.length && lost++ < 1) throw new Refusal('service.unavailable');
      };
      gateway.leases = leases;
      gateway.edits('usr_1', 'city', 'Malmö');

      const [found] = await gateway.streamed(1);

      expect([found!.event.event, found!.header(RECONCILED_HEADER)]).toEqual(['field_updated', 'true']);
    },
  );

  const quiet = () => quietDrains(gateway, rows);

  it('does not write its database row while acknowledged drains are empty, and stores the next events', async () => {
    gateway.leases = 'offered';
    await world.starts('feed-consumer');
    await baseline();
    await quiet();

    const sent = [gateway.writes('usr_1'), gateway.writes('usr_1')];

    expect((await gateway.streamed(2)).map(({ event }) => event)).toEqual(sent);
    await eventually(async () => (gateway.queue.length === 0 ? true : undefined));
    await quiet();
  });

  it('compares on request of an operator while its drains find nothing', async () => {
    gateway.leases = 'offered';
    gateway.edits('usr_1', 'city', 'Lund', { told: false });
    await world.starts('feed-consumer');
    await eventually(async () => ((await rows(sql`select from channel where reconcile is null`)).length ? true : undefined));
    await quiet();
    gateway.edits('usr_1', 'city', 'Malmö', { told: false });

    await gateway.bus.request(COMPARE, { service: 'shop' }, {});

    const [found] = await gateway.streamed(1);
    expect([found!.event.event, found!.header(RECONCILED_HEADER)]).toEqual(['field_updated', 'true']);
    await quiet();
  });

  it('stores no drained event after its lease went to another replica, which drains it again', async () => {
    gateway.leases = 'offered';
    await world.starts('feed-consumer');
    await baseline();
    await quiet();
    let refused = 0;
    gateway.onTaken = async (taken) => {
      if (taken.length === 0 || refused++ > 0) return;
      await rows(sql`update lease set owner = 'another', epoch = epoch + 1, until = '-infinity' where kind = 'pull'`);
    };
    const sent = gateway.writes('usr_1');

    expect((await gateway.streamed(1)).map(({ event }) => event)).toEqual([sent]);

    expect(refused).toBeGreaterThan(1);
    expect(await rows(sql`select run from channel`)).toEqual([{ run: 1 }]);
  });

  it('continues draining while a page of the connection list is slow', async () => {
    gateway.edits('usr_1', 'city', 'Lund', { told: false });
    const waiting: (() => void)[] = []; // a slow machine sends a second request before the first is answered
    gateway.onListed = () => new Promise((resolve) => waiting.push(resolve));
    await world.starts('feed-consumer');
    await eventually(async () => (gateway.lists > 0 ? true : undefined));
    const sent = [gateway.writes('usr_2'), gateway.writes('usr_3')];

    expect((await gateway.streamed(2)).map(({ event }) => event)).toEqual(sent);
    expect(await rows(sql`select from known_person`)).toEqual([]);

    gateway.onListed = async () => undefined;
    for (const list of waiting) list();
    await eventually(async () => ((await rows(sql`select from known_person`)).length === 1 ? true : undefined));
  });

  it('reads a page of the list again when an event arrived after it was made', async () => {
    gateway.edits('usr_1', 'city', 'Lund', { told: false });
    await world.starts('feed-consumer');
    await baseline();
    gateway.onTaken = (taken) => {
      if (taken.length) throw new Refusal('service.unavailable');
    };
    let pages = 0;
    gateway.onListed = async () => {
      if (pages++ > 0) return;
      gateway.onTaken = () => undefined;
      gateway.edits('usr_1', 'city', 'Malmö');
      await gateway.streamed(1);
    };
    gateway.writes('usr_1');

    await eventually(async () => ((await rows(sql`select from channel where run = 2 and reconcile is null`)).length ? true : undefined));

    expect(pages).toBeGreaterThanOrEqual(2); // more when a slow machine asks for a page again
    const reported = await gateway.streamed(1);
    expect(reported.map(({ event, header }) => [event.event, header(RECONCILED_HEADER)])).toEqual([['field_updated', '']]);
  });

  it('is reported in the status when it cannot be drained', async () => {
    gateway.onTaken = () => {
      throw new Refusal('auth.client_endpoint_forbidden');
    };
    await world.starts('feed-consumer');
    await eventually(async () => (gateway.drains > 1 ? true : undefined));
    await world.passes({ minutes: 1 });

    const { ready, checks } = await gateway.bus.request(STATUS, { name: 'feed-consumer' }, {});

    expect([ready, checks['feed']]).toEqual([true, expect.stringContaining('shop is not drained since')]);
    expect(await measured()).toContainEqual(
      expect.objectContaining({
        name: 'codase.feed.drains.failed',
        attributes: { 'codase.service': 'shop', 'codase.error_key': 'auth.client_endpoint_forbidden' },
      }),
    );
  });

  it('stores existing connections as a baseline without publishing events', async () => {
    for (let n = 0; n < 120; n++) gateway.edits(`usr_${n}`, 'city', 'Lund', { told: false });
    await world.starts('feed-consumer');

    await eventually(async () => ((await rows(sql`select from known_person`)).length === 120 ? true : undefined));

    expect(gateway.lists).toBeGreaterThanOrEqual(3);
    expect(await rows(sql`select from spool union all select from published`)).toEqual([]);
  });

  /** Starts the feed consumer and waits for `count` published events. Returns a time range around all of them. */
  const published = async (count: number) => {
    await world.starts('feed-consumer');
    await gateway.streamed(count);
    await eventually(async () => ((await rows(sql`select from published`)).length === count ? true : undefined));
    const now = new Date((await rows<{ received_at: Date }>(sql`select received_at from published`))[0]!.received_at);
    return { from: new Date(now.getTime() - 1000).toISOString(), to: new Date(now.getTime() + 1000).toISOString() };
  };

  it('does not resend a state that a newer event has replaced', async () => {
    gateway.edits('usr_1', 'city', 'Lund');
    const newest = gateway.edits('usr_1', 'city', 'Malmö');
    const message = gateway.writes('usr_1');
    gateway.edits('usr_2', 'city', 'Umeå');
    const phone = gateway.edits('usr_1', 'phone', '1');
    gateway.leaves('usr_2');
    const range = await published(6);
    const again = async () => (await gateway.streamed(1)).slice(6).map(({ event }) => event.id);

    expect(await gateway.bus.request(RESEND, { service: 'shop' }, range)).toEqual({ events: 4, next: null });
    await gateway.streamed(10);
    expect(await again()).toEqual([newest.id, message.id, phone.id, 'evt_6']);

    expect(await gateway.bus.request(RESEND, { service: 'shop' }, { ...range, event_id: message.id })).toEqual({ events: 1, next: null });
    expect(await gateway.bus.request(RESEND, { service: 'shop' }, { ...range, event_id: 'evt_1' })).toEqual({ events: 0, next: null });
    await gateway.streamed(11);
    expect((await again()).at(-1)).toBe(message.id);
  });

  it('resends a time range on request, with the original event ids and the mark that it is resent', async () => {
    for (let n = 0; n < 5; n++) gateway.writes('usr_1');
    const { from, to } = await published(5);

    expect(await gateway.bus.request(RESEND, { service: 'shop' }, { from, to })).toEqual({ events: 5, next: null });

    const streamed = await gateway.streamed(10);
    expect(streamed.slice(5).map(({ header }) => [header('ce-id'), header(RESENT_HEADER)])).toEqual(
      streamed.slice(0, 5).map(({ header }) => [header('ce-id'), 'true']),
    );
    await expect(gateway.bus.request(RESEND, { service: 'other' }, { from, to })).rejects.toMatchObject({ key: 'request.not_found' });
  });

  it('drains seldom while no events come', async () => {
    await world.starts('feed-consumer');
    await pause(3000);

    expect(gateway.drains).toBeLessThan(12);
  });
});
