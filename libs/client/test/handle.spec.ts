import { setTimeout as pause } from 'node:timers/promises';
import { postgresInbox, type CodaseClient, type Handlers } from '@codase/client';
import { PARKED_HEADERS } from '@codase/runtime/bus';
import { eventually, FaultProxy } from '@codase/testing';
import type { PoolClient } from 'pg';
import { partitionOf, QUICK, Suite } from './a-suite.ts';

describe('the handlers of an internal service', () => {
  let suite: Suite;
  let codase: CodaseClient;
  beforeEach(async () => {
    suite = await Suite.open();
    codase = await suite.connects();
  });
  afterEach(() => suite?.close());

  const notes = async (tx: PoolClient, person: string, what: string) =>
    void (await tx.query('insert into seen (person, what) values ($1, $2)', [person, what]));
  const came: Handlers<PoolClient> = { connection_created: ({ person_user_id }, { tx }) => notes(tx, person_user_id, 'came') };
  const opens: Handlers<PoolClient> = {
    ...came,
    field_updated: async ({ person_user_id, value }, { tx, open }) => {
      const { plaintext } = await open({ value: value! });
      await notes(tx, person_user_id, plaintext);
    },
  };
  const seenSoon = (n: number) => eventually(async () => ((await suite.seen()).length >= n ? suite.seen() : undefined));
  const allAcked = (group = 'customers') => eventually(async () => ((await suite.unacked(group)) === 0 ? true : undefined));

  it('handle an event in the transaction of its effect, with its values opened', async () => {
    await suite.playsDecryptor();
    await codase.handle('customers', suite.inbox(), opens, QUICK);

    await suite.joins('usr_ana');
    await suite.shares('usr_ana', 'ana@x.example');

    expect(await seenSoon(2)).toEqual(['usr_ana came', 'usr_ana ana@x.example']);
  });

  it('receive the metadata of an event', async () => {
    const reported: unknown[] = [];
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: (_, { tx: _tx, open: _open, signal, ...rest }) => void reported.push({ ...rest, stopping: signal.aborted }),
      },
      QUICK,
    );

    await suite.joins('usr_ana', { id: 'evt_a' });
    await suite.joins('usr_ana', { id: 'evt_b', 'codase-resent': 'true', 'ce-id': 'evt_a' });
    await suite.joins('usr_ana', { id: 'evt_c', 'codase-reconciled': 'true' });
    await eventually(async () => (reported.length === 3 ? true : undefined));

    const usual = { resent: false, reconciled: false, attempt: 1, stopping: false };
    expect(reported).toEqual([
      { ...usual, message_id: 'shop:evt_a', event_id: 'evt_a' },
      { ...usual, message_id: 'shop:evt_b', event_id: 'evt_a', resent: true },
      { ...usual, message_id: 'shop:evt_c', event_id: 'evt_c', reconciled: true },
    ]);
  });

  it('apply an event once when everything is delivered again', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    for (const person of ['usr_ana', 'usr_ben', 'usr_chiara']) await suite.joins(person);
    await seenSoon(3);
    await codase.close();

    await suite.forgetsConsumers('customers');
    const again = await suite.connects();
    await again.handle('customers', suite.inbox(), came, QUICK);
    await allAcked();

    expect(await suite.seen()).toHaveLength(3);
  });

  it('apply an event once in each group', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    await codase.handle('audit', suite.inbox(), came, QUICK);
    await suite.joins('usr_ana');

    expect(await seenSoon(2)).toEqual(['usr_ana came', 'usr_ana came']);
  });

  it('apply an event once when a replica that was given up still finishes', async () => {
    const proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: Number(new URL(suite.nats.url).port) } });
    const cutOff = await suite.connects({ url: `nats://127.0.0.1:${proxy.port}` });
    let finish = () => {};
    const begun = new Promise<void>((hasBegun) => {
      void cutOff.handle(
        'customers',
        suite.inbox(),
        {
          connection_created: async ({ person_user_id }, { tx }) => {
            await notes(tx, person_user_id, 'by the first');
            hasBegun();
            await new Promise<void>((resolve) => (finish = resolve));
          },
        },
        QUICK,
      );
    });
    await suite.joins('usr_ana');
    await begun;
    proxy.blackHole(); // from now on nothing of this replica reaches the server

    let attempts = 0;
    const inbox = suite.inbox();
    const counted = { once: (...args: Parameters<typeof inbox.once>) => (attempts++, inbox.once(...args)) };
    await codase.handle(
      'customers',
      counted,
      { connection_created: ({ person_user_id }, { tx }) => notes(tx, person_user_id, 'by the second') },
      QUICK,
    );
    await eventually(async () => (attempts > 0 ? true : undefined));
    finish();
    await allAcked();

    expect(await suite.seen()).toEqual(['usr_ana by the first']);
    await proxy.heal();
    await cutOff.close();
    await proxy.close();
  });

  it('keep the order of each person with two replicas', async () => {
    const persons = ['usr_ana', 'usr_ben', 'usr_chiara', 'usr_dan', 'usr_eve', 'usr_finn'];
    const replicas = new Set<string>();
    const slowly = (replica: string): Handlers<PoolClient> => ({
      field_deleted: async ({ person_user_id, slug }, { tx }) => {
        await pause(Math.random() * 5);
        replicas.add(replica);
        await notes(tx, person_user_id, slug);
      },
    });
    await codase.handle('customers', suite.inbox(), slowly('one'), QUICK);
    await (await suite.connects()).handle('customers', suite.inbox(), slowly('two'), QUICK);

    for (let n = 10; n < 40; n++) {
      for (const person of persons) await suite.publishes({ event: 'field_deleted', person_user_id: person, slug: `s${n}` });
    }
    const seen = await seenSoon(30 * persons.length);

    for (const person of persons) {
      expect(seen.filter((line) => line.startsWith(person))).toEqual(Array.from({ length: 30 }, (_, n) => `${person} s${n + 10}`));
    }
    expect(replicas.size).toBe(2);
  });

  it("do not delay one person's events because of another person's slow event", async () => {
    expect(partitionOf('usr_ana')).not.toBe(partitionOf('usr_ben'));
    let finish = () => {};
    const begun = new Promise<void>((hasBegun) => {
      void codase.handle(
        'customers',
        suite.inbox(),
        {
          connection_created: async ({ person_user_id }, { tx }) => {
            if (person_user_id === 'usr_ana') await new Promise<void>((resolve) => ((finish = resolve), hasBegun()));
            await notes(tx, person_user_id, 'came');
          },
        },
        QUICK,
      );
    });

    await suite.joins('usr_ana');
    await begun;
    await suite.joins('usr_ben');
    expect(await seenSoon(1)).toEqual(['usr_ben came']);

    finish();
    expect(await seenSoon(2)).toEqual(['usr_ben came', 'usr_ana came']);
  });

  it('retry in place when they throw, and leave nothing of the failed attempt', async () => {
    const attempts: number[] = [];
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: async ({ person_user_id }, { tx, attempt }) => {
          attempts.push(attempt);
          await notes(tx, person_user_id, `try ${attempt}`);
          if (attempt < 3) throw new Error('not yet');
        },
      },
      QUICK,
    );
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana try 3']);
    expect(attempts).toEqual([1, 2, 3]);
    expect(await suite.parked()).toBe(0);
  });

  it('park an event that keeps failing, and continue with the same person', async () => {
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        ...came,
        connection_deleted: () => {
          throw new RangeError('never');
        },
      },
      QUICK,
    );
    await suite.publishes({ event: 'connection_deleted', person_user_id: 'usr_ana', customer_type: 'person' });
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
    const kept = await suite.lastParked(`shop-backend_customers_${partitionOf('usr_ana')}`);
    expect([kept.header.get(PARKED_HEADERS.reason), kept.json<{ event: string }>().event]).toEqual(['RangeError', 'connection_deleted']);
  });

  it('park at once an event that cannot be read, or that has an unreadable value', async () => {
    await suite.playsDecryptor();
    const patient = { ...QUICK, backoffMs: [60_000] };
    await codase.handle('customers', suite.inbox(), opens, patient);
    await suite.puts('not json', { person: 'usr_ana' });
    await suite.puts('{"event":"connection_created"}', { person: 'usr_ana' });
    await suite.shares('usr_ana', 'garbled?');
    await suite.publishes({ event: 'field_updated', person_user_id: 'usr_ana', slug: 'email', live: true, value: 'in the clear' as never });
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
    expect(await suite.parked()).toBe(4);
  });

  it('skip kinds without a handler and unknown kinds', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    await suite.puts('{"event":"horoscope_changed"}', { kind: 'horoscope_changed', person: 'usr_ana' });
    await suite.publishes({ event: 'field_deleted', person_user_id: 'usr_ana', slug: 'email' });
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
    expect(await suite.parked()).toBe(0);
    await allAcked();
  });

  it('accept an event with unknown members', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    await suite.publishes({ event: 'connection_created', person_user_id: 'usr_ana', customer_type: 'person', mood: 'good' } as never);

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
  });

  it('cannot be registered for a kind that no contract has', async () => {
    const handlers = { field_changed: () => {} } as Handlers<PoolClient>;
    await expect(codase.handle('customers', suite.inbox(), handlers)).rejects.toThrow('There is no event field_changed');
  });

  it('wait for an unavailable decryptor, in order, and park nothing', async () => {
    await codase.handle('customers', suite.inbox(), opens, { ...QUICK, backoffMs: [] });
    await suite.shares('usr_ana', 'first');
    await suite.joins('usr_ana');
    await eventually(async () => ((await suite.deliveries('customers', 'usr_ana')) >= 4 ? true : undefined));
    expect(await suite.seen()).toEqual([]);

    await suite.playsDecryptor();

    expect(await seenSoon(2)).toEqual(['usr_ana first', 'usr_ana came']);
    expect(await suite.parked()).toBe(0);
  });

  it('wait for an unavailable database, and park nothing', async () => {
    const { hostname, port } = new URL(suite.database.owner);
    const proxy = await FaultProxy.open({ target: { host: hostname, port: Number(port) } });
    const through = new URL(suite.database.owner);
    through.port = String(proxy.port);
    through.searchParams.delete('host'); // the socket of the server, past the proxy
    await codase.handle('customers', postgresInbox(suite.poolOn(through.href)), came, { ...QUICK, backoffMs: [] });
    await suite.joins('usr_ben');
    await seenSoon(1);

    proxy.refuse();
    proxy.reset();
    await suite.joins('usr_ana');
    await eventually(async () => ((await suite.deliveries('customers', 'usr_ana')) >= 3 ? true : undefined));
    await proxy.heal();

    expect(await seenSoon(2)).toEqual(['usr_ben came', 'usr_ana came']);
    expect(await suite.parked()).toBe(0);
    await proxy.close();
  });

  it('continue after the bus was killed and restarted', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    await suite.joins('usr_ana');
    await seenSoon(1);

    suite.nats.kill();
    await suite.nats.restart();
    await eventually(async () => (suite.operator.isConnected ? true : undefined));
    await suite.joins('usr_ana');
    await suite.joins('usr_ben');

    expect((await seenSoon(3)).toSorted()).toEqual(['usr_ana came', 'usr_ana came', 'usr_ben came']);
  });

  it('resume after their consumers were deleted, and are not ready until then', async () => {
    await codase.handle('customers', suite.inbox(), came, QUICK);
    expect(codase.health()).toEqual({ ready: true, checks: { bus: 'ok', customers: 'ok' } });

    await suite.forgetsConsumers('customers');
    await eventually(async () => (codase.health().ready ? undefined : true));
    expect(codase.health()).toEqual({ ready: false, checks: { bus: 'ok', customers: 'hears no events' } });
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
    await eventually(async () => (codase.health().ready ? true : undefined));
  });

  it('wait at their start for a feed consumer that is still starting', async () => {
    await suite.feedConsumer.drain();
    await suite.joins('usr_ana');
    const starting = codase.handle('customers', suite.inbox(), came, QUICK);
    await pause(500);
    expect(await suite.seen()).toEqual([]);

    await suite.playsFeedConsumer();
    await starting;

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
  });

  it('start without a feed consumer when their consumers exist', async () => {
    const earlier = await codase.handle('customers', suite.inbox(), came, QUICK);
    await earlier.stop();
    await suite.feedConsumer.drain();
    await suite.joins('usr_ana');

    await codase.handle('customers', suite.inbox(), came, QUICK);

    expect(await seenSoon(1)).toEqual(['usr_ana came']);
    await suite.playsFeedConsumer();
  });

  it('do not affect readiness after they are stopped', async () => {
    const group = await codase.handle('customers', suite.inbox(), came, QUICK);
    await group.stop();

    expect([group.isSubscribed, codase.health()]).toEqual([false, { ready: true, checks: { bus: 'ok' } }]);
  });

  it('abort a handler that takes too long, and deliver its event again', async () => {
    let asks = 0;
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: async ({ person_user_id }, { tx, signal }) => {
          if (++asks === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('took too long'))));
          await notes(tx, person_user_id, `ask ${asks}`);
        },
      },
      { ...QUICK, handleMs: 200 },
    );
    await suite.joins('usr_ana');

    expect(await seenSoon(1)).toEqual(['usr_ana ask 2']);
  });

  it('do not treat a caught database error as a success', async () => {
    await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: async ({ person_user_id }, { tx }) => {
          await notes(tx, person_user_id, 'came');
          await tx.query('select * from nowhere').catch(() => undefined);
        },
      },
      QUICK,
    );
    await suite.joins('usr_ana');

    await eventually(async () => ((await suite.parked()) === 1 ? true : undefined));
    expect(await suite.seen()).toEqual([]);
  });

  it('finish the current event when they stop, and leave the rest to other replicas', async () => {
    let [finish, reported] = [() => {}, undefined as AbortSignal | undefined];
    const group = await codase.handle(
      'customers',
      suite.inbox(),
      {
        connection_created: async ({ person_user_id }, { tx, signal }) => {
          reported = signal;
          await new Promise<void>((resolve) => (finish = resolve));
          await notes(tx, person_user_id, 'came');
        },
      },
      QUICK,
    );
    await suite.joins('usr_ana');
    await suite.joins('usr_ana');
    await eventually(async () => reported);

    const stopped = group.stop();
    expect(reported!.aborted).toBe(true);
    finish();
    await stopped;
    expect(await suite.seen()).toEqual(['usr_ana came']);

    await (await suite.connects()).handle('customers', suite.inbox(), came, QUICK);
    expect(await seenSoon(2)).toHaveLength(2);
  });
});
