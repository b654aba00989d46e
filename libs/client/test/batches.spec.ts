import { setTimeout as pause } from 'node:timers/promises';
import type { CodaseClient, GroupOptions, Handlers, Inbox } from '@codase/client';
import { groupConsumer, Refusal } from '@codase/contracts';
import { comesTrue, eventually, FaultProxy } from '@codase/testing';
import { nanos } from '@nats-io/transport-node';
import type { PoolClient } from 'pg';
import { partitionOf, QUICK, Suite } from './a-suite.ts';

const ANA = 'usr_ana';

/** The options of a service that asks for batches. */
const BATCHES = { ...QUICK, batch: 50 };

describe('handlers that receive events in batches', () => {
  let suite: Suite;
  let codase: CodaseClient;
  beforeEach(async () => {
    suite = await Suite.open();
    codase = await suite.connects();
  });
  afterEach(() => suite?.close());

  const notes = async (tx: PoolClient, what: string) =>
    void (await tx.query('insert into seen (person, what) values ($1, $2)', [ANA, what]));
  const noting: Handlers<PoolClient> = { field_deleted: ({ slug }, { tx }) => notes(tx, slug) };
  const slowly: Handlers<PoolClient> = {
    field_deleted: async ({ slug }, { tx }) => {
      await pause(Math.random() * 4);
      await notes(tx, slug);
    },
  };
  const deletes = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await suite.publishes({ event: 'field_deleted', person_user_id: ANA, slug: `s${n}` });
  };
  const slugs = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${ANA} s${n + from}`);
  const allSeen = (n: number) => eventually(async () => ((await suite.seen()).length >= n ? suite.seen() : undefined));
  const allAcked = () => eventually(async () => ((await suite.unacked('customers')) === 0 ? true : undefined));
  const consumerOf = async (person: string) =>
    (await suite.operator.manager()).consumers.info('FEED', groupConsumer('shop-backend', 'customers', partitionOf(person)));

  /** An inbox that records how many events each of its transactions had. */
  const counting = () => {
    const [inbox, sizes] = [suite.inbox(), [] as number[]];
    const counted: Inbox<PoolClient> = {
      prepare: () => inbox.prepare!(),
      once: (message, work) => (sizes.push(1), inbox.once(message, work)),
      onceAll: (consumer, ids, work) => (sizes.push(ids.length), inbox.onceAll!(consumer, ids, work)),
    };
    return { sizes, counted };
  };

  it('apply their effects in order and in few transactions when many events wait', async () => {
    await deletes(0, 120);
    const { sizes, counted } = counting();

    await codase.handle('customers', counted, noting, BATCHES);

    expect(await allSeen(120)).toEqual(slugs(0, 120));
    expect(Math.max(...sizes)).toBe(50);
    expect(sizes.length).toBeLessThan(12);
    await allAcked();
    expect(await suite.deliveries('customers', ANA)).toBe(120);
  });

  it('receive a failed batch one by one, so that only the faulty event is parked', async () => {
    await deletes(0, 30);
    await suite.puts('not json', { kind: 'field_deleted', person: ANA });
    await deletes(30, 60);
    const failing: Handlers<PoolClient> = {
      field_deleted: async ({ slug }, { tx }) => {
        await notes(tx, slug);
        if (slug === 's10') throw new Error('never');
      },
    };

    await codase.handle('customers', suite.inbox(), failing, BATCHES);

    expect(await allSeen(59)).toEqual(slugs(0, 60).filter((line) => line !== `${ANA} s10`));
    await allAcked();
    expect(await suite.parked()).toBe(2);
  });

  it('wait, with all later events, for an event that cannot be handled now', async () => {
    await deletes(0, 40);
    let away = 3;
    const waiting: Handlers<PoolClient> = {
      field_deleted: async ({ slug }, { tx }) => {
        if (slug === 's20' && away-- > 0) throw new Refusal('service.unavailable');
        await notes(tx, slug);
      },
    };

    await codase.handle('customers', suite.inbox(), waiting, BATCHES);

    expect(await allSeen(40)).toEqual(slugs(0, 40));
    await allAcked();
    expect(await suite.parked()).toBe(0);
  });

  it('apply a message only once when the batch has it twice', async () => {
    await (await suite.operator.manager()).streams.update('FEED', { duplicate_window: nanos(100) });
    const deleted = (id: string) => suite.publishes({ event: 'field_deleted', person_user_id: ANA, slug: 's0' }, { id });
    await deleted('evt_a');
    await pause(500); // longer than the duplicate window, by the server's clock
    await deleted('evt_a');
    await deleted('evt_b');

    await codase.handle('customers', suite.inbox(), noting, BATCHES);

    await allAcked();
    expect(await suite.deliveries('customers', ANA)).toBe(3);
    expect(await suite.seen()).toHaveLength(2);
  });

  it('keep the order while replicas come and go', async () => {
    const other = await suite.connects();
    const handlers = (): Handlers<PoolClient> => ({
      field_deleted: async ({ slug }, { tx }) => {
        await pause(1);
        await notes(tx, slug);
      },
    });
    // A long ackWaitMs, because no event may be lost on its way to a replica that steps aside or stops.
    const patient = { ...BATCHES, ackWaitMs: 600_000 };
    await codase.handle('customers', suite.inbox(), handlers(), patient);
    await deletes(0, 150);
    const second = await other.handle('customers', suite.inbox(), handlers(), patient);
    await deletes(150, 300);
    const third = await suite.connects();
    await third.handle('customers', suite.inbox(), handlers(), patient);
    await deletes(300, 400);
    await second.stop();
    await deletes(400, 500);

    expect(await allSeen(500)).toEqual(slugs(0, 500));
    await allAcked();
  });

  it('keep the order when a replica is cut off with part of a batch and continues', async () => {
    const proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: Number(new URL(suite.nats.url).port) } });
    const cutOff = await suite.connects({ url: `nats://127.0.0.1:${proxy.port}` });
    let cut = () => {};
    const isCut = new Promise<void>((resolve) => (cut = resolve));
    await deletes(0, 60);
    await cutOff.handle(
      'customers',
      suite.inbox(),
      {
        field_deleted: async ({ slug }, { tx }) => {
          if (slug === 's30') proxy.blackHole(); // from now on nothing of this replica reaches the server
          if (slug === 's30') cut();
          await pause(slug === 's31' ? 3000 : 0);
          await notes(tx, slug);
        },
      },
      BATCHES,
    );
    await isCut;
    await codase.handle('customers', suite.inbox(), noting, BATCHES);
    await deletes(60, 120);

    expect(await allSeen(120)).toEqual(slugs(0, 120));
    await allAcked();
    await proxy.heal();
    await cutOff.close();
    await proxy.close();
  });

  it('keep the order with replicas while the bus is killed repeatedly', async () => {
    for (const replica of [codase, await suite.connects()]) await replica.handle('customers', suite.inbox(), slowly, BATCHES);
    for (let kill = 0; kill < 4; kill++) {
      await deletes(kill * 150, (kill + 1) * 150);
      suite.nats.kill();
      await suite.nats.restart();
      await eventually(async () => (suite.operator.isConnected ? true : undefined));
    }

    expect(await allSeen(600)).toEqual(slugs(0, 600));
    await allAcked();
  });

  it('keep the order with replicas while their consumer is deleted repeatedly', async () => {
    for (const replica of [codase, await suite.connects()]) await replica.handle('customers', suite.inbox(), slowly, BATCHES);
    for (let turn = 0; turn < 6; turn++) {
      await deletes(turn * 60, (turn + 1) * 60);
      await pause(Math.random() * 150); // somewhere in the middle
      await suite.forgetsConsumers('customers');
    }

    expect(await allSeen(360)).toEqual(slugs(0, 360));
  });

  it('return their events at once when they stop, before the ack timeout', async () => {
    const slow = { ...BATCHES, ackWaitMs: 60_000 };
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    await deletes(0, 100);
    const stopping = await codase.handle(
      'customers',
      suite.inbox(),
      {
        field_deleted: async ({ slug }, { tx }) => {
          await pause(20);
          await notes(tx, slug);
          begun();
        },
      },
      slow,
    );
    await hasBegun;
    await stopping.stop();

    await (await suite.connects()).handle('customers', suite.inbox(), noting, slow);

    expect(await allSeen(100)).toEqual(slugs(0, 100));
  });

  /** An inbox without `onceAll`, with which a group takes one event at a time. */
  const oneByOne = (): Inbox<PoolClient> => {
    const inbox = suite.inbox();
    return { prepare: () => inbox.prepare!(), once: (message, work) => inbox.once(message, work) };
  };

  it.each([
    ['several at once', () => suite.inbox(), 10],
    ['one by one', oneByOne, 1],
  ])('do not delay events that are in transit to a stopping replica: %s', async (_, inbox, sent) => {
    const proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: Number(new URL(suite.nats.url).port) } });
    const far = await suite.connects({ url: `nats://127.0.0.1:${proxy.port}` });
    const slow = { ...BATCHES, ackWaitMs: 600_000 };
    const stopping = await far.handle('customers', inbox(), noting, slow);
    await deletes(0, 1);
    await allSeen(1);
    await allAcked();
    proxy.blackHole();
    await deletes(1, 11);
    await comesTrue(async () => expect(await consumerOf(ANA)).toMatchObject({ num_ack_pending: sent }));
    const stopped = stopping.stop();
    await proxy.heal();
    await stopped;

    await codase.handle('customers', inbox(), noting, slow);

    expect(await allSeen(11)).toEqual(slugs(0, 11));
    await far.close();
    await proxy.close();
  });

  it('finish the current event when they stop, and keep what they have handled', async () => {
    await deletes(0, 50);
    let stopped: Promise<void> | undefined;
    const group = await codase.handle(
      'customers',
      suite.inbox(),
      {
        field_deleted: async ({ slug }, { tx }) => {
          if (slug === 's20') stopped = group.stop();
          await notes(tx, slug);
        },
      },
      BATCHES,
    );
    await eventually(async () => (stopped ? true : undefined));
    await stopped;
    expect(await suite.seen()).toEqual(slugs(0, 21));

    await (await suite.connects()).handle('customers', suite.inbox(), noting, BATCHES);

    expect(await allSeen(50)).toEqual(slugs(0, 50));
  });

  it('receive up to 50 events at once in a new group', async () => {
    await deletes(0, 60);
    const { sizes, counted } = counting();

    await codase.handle('customers', counted, noting, QUICK);

    expect(await allSeen(60)).toEqual(slugs(0, 60));
    expect(Math.max(...sizes)).toBe(50);
    expect((await consumerOf(ANA)).config.max_ack_pending).toBe(50);
  });

  it('receive one event at a time in a group of an earlier release, until a batch size is set', async () => {
    const letsOut = async () => (await consumerOf(ANA)).config.max_ack_pending;
    const handles = async (options: GroupOptions) => {
      await deletes(0, 60);
      const { sizes, counted } = counting();
      const group = await codase.handle('customers', counted, noting, options);
      await allAcked();
      await group.stop();
      return Math.max(...sizes);
    };
    await (await codase.handle('customers', suite.inbox(), noting, { ...QUICK, batch: 1 })).stop(); // as before there were batches

    expect(await handles({ ...QUICK, ackWaitMs: 3000 })).toBe(1);
    expect(await letsOut()).toBe(1);
    expect(await handles({ ...QUICK, batch: 20 })).toBe(20);
    expect(await handles(QUICK)).toBe(20);
    expect(await letsOut()).toBe(20);
  });

  it.each([0, -1, 1.5, 501, NaN])('refuse a batch size of %p', async (batch) => {
    await expect(codase.handle('customers', suite.inbox(), noting, { ...QUICK, batch })).rejects.toThrow(
      'batch: must be a whole number from 1 to 500',
    );
  });

  it('receive consecutive events of one kind at once when they take them together', async () => {
    await deletes(0, 40);
    await suite.joins(ANA);
    await deletes(40, 60);
    const sizes: number[] = [];
    const together: Handlers<PoolClient> = {
      connection_created: (_, { tx }) => notes(tx, 'joined'),
      field_deleted: {
        together: async (taken, tx) => {
          sizes.push(taken.length);
          const whats = taken.map(({ event }) => event.slug);
          await tx.query('insert into seen (person, what) select $1, what from unnest($2::text[]) what', [ANA, whats]);
        },
      },
    };

    await codase.handle('customers', suite.inbox(), together, BATCHES);

    expect(await allSeen(61)).toEqual([...slugs(0, 40), `${ANA} joined`, ...slugs(40, 60)]);
    expect(sizes.length).toBeLessThan(12);
    await allAcked();
  });

  it('receive a failed batch one by one even when they take events together', async () => {
    await deletes(0, 30);
    const sizesOfFault: number[] = [];
    const failing: Handlers<PoolClient> = {
      field_deleted: {
        together: async (taken, tx) => {
          for (const { event } of taken) await notes(tx, event.slug);
          if (!taken.some(({ event }) => event.slug === 's10')) return;
          sizesOfFault.push(taken.length);
          throw new Error('never');
        },
      },
    };

    await codase.handle('customers', suite.inbox(), failing, BATCHES);

    expect(await allSeen(29)).toEqual(slugs(0, 30).filter((line) => line !== `${ANA} s10`));
    await allAcked();
    expect(await suite.parked()).toBe(1);
    expect(sizesOfFault.at(-1)).toBe(1);
  });

  it('have their values opened while earlier events are handled', async () => {
    const { batches } = await suite.playsDecryptor();
    const opened = () => batches.reduce((sum, n) => sum + n, 0);
    let goOn = () => {};
    const isTime = new Promise<void>((resolve) => (goOn = resolve));
    const opening: Handlers<PoolClient> = {
      field_updated: {
        opens: ['value'],
        handle: async ({ value }, { tx, open }) => {
          const { plaintext } = await open({ value: value! });
          if (plaintext === 'w20') await isTime;
          await notes(tx, plaintext);
        },
      },
    };
    const shares = async (from: number, to: number) => {
      for (let n = from; n < to; n++) await suite.shares(ANA, `w${n}`);
    };
    await codase.handle('customers', suite.inbox(), opening, BATCHES);
    await shares(0, 20);
    await allSeen(20);

    await shares(20, 30);
    await comesTrue(async () => expect(opened()).toBe(30));
    expect(await suite.seen()).toHaveLength(20);
    goOn();

    expect(await allSeen(30)).toEqual(Array.from({ length: 30 }, (_, n) => `${ANA} w${n}`));
    expect(opened()).toBe(30);
  });

  it('have the values that they declare opened together', async () => {
    const { batches } = await suite.playsDecryptor();
    const opening: Handlers<PoolClient> = {
      field_updated: {
        opens: ['value'],
        handle: async ({ value }, { tx, open }) => notes(tx, (await open({ value: value! })).plaintext),
      },
    };
    for (let n = 0; n < 60; n++) await suite.shares(ANA, `w${n}`);

    await codase.handle('customers', suite.inbox(), opening, BATCHES);

    expect(await allSeen(60)).toEqual(Array.from({ length: 60 }, (_, n) => `${ANA} w${n}`));
    for (let n = 60; n < 100; n++) await suite.shares(ANA, `w${n}`);
    await comesTrue(async () => expect(batches.reduce((sum, n) => sum + n, 0)).toBe(100));
    expect(Math.max(...batches)).toBeGreaterThan(5);
  });
});
