import { setTimeout as pause } from 'node:timers/promises';
import { INBOX_SQL, postgresInbox } from '@codase/client';
import { Refusal } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { isTransient } from '@codase/runtime/resilience';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, FaultProxy, testDatabase, type TestDatabase } from '@codase/testing';
import pg from 'pg';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the inbox in Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeEach(async () => {
    database = await testDatabase();
    pool = new pg.Pool({ connectionString: database.owner });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const a = { consumer: 'shop_customers', message_id: 'a' };
  const ids = async () => {
    const { rows } = await pool.query<{ message_id: string }>('select message_id from codase_inbox order by message_id');
    return rows.map(({ message_id }) => message_id);
  };
  const nothing = async () => {};

  it('runs the work of a message once for each consumer', async () => {
    const inbox = postgresInbox(pool);
    await inbox.prepare!();
    let runs = 0;
    const work = async () => void runs++;

    expect([await inbox.once(a, work), await inbox.once(a, work)]).toEqual([true, false]);
    expect(await inbox.once({ ...a, consumer: 'shop_audit' }, work)).toBe(true);
    expect(runs).toBe(2);
  });

  it.each(["it's", "\\'); drop table codase_inbox; --", 'åäö $1', '{"a", b}', 'null', ''])(
    'stores the message id %s unchanged',
    async (message_id) => {
      const inbox = postgresInbox(pool);
      await inbox.prepare!();

      expect([await inbox.once({ ...a, message_id }, nothing), await inbox.once({ ...a, message_id }, nothing)]).toEqual([true, false]);
      expect((await pool.query('select message_id from codase_inbox')).rows).toEqual([{ message_id }]);
    },
  );

  it('listens for errors of a connection from the moment it is made', async () => {
    postgresInbox(pool);
    let received = 0;
    pool.once('acquire', (client) => (received = client.listenerCount('error') - 1)); // without the pool's own listener, which leaves now
    (await pool.connect()).release();

    expect(received).toBe(1);
  });

  it('stores nothing when the work fails', async () => {
    const inbox = postgresInbox(pool);
    await inbox.prepare!();

    await expect(
      inbox.once(a, async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');

    expect(await ids()).toEqual([]);
    expect(await inbox.once(a, nothing)).toBe(true);
  });

  it('runs the work once when two replicas have the message at the same time', async () => {
    const inbox = postgresInbox(pool);
    await inbox.prepare!();
    let runs = 0;

    const slowly = inbox.once(a, async (tx) => {
      await tx.query('select pg_sleep(0.1)');
      runs++;
    });
    const answers = await Promise.all([slowly, inbox.once(a, async () => void runs++)]);

    expect([answers.toSorted(), runs]).toEqual([[false, true], 1]);
  });

  it('returns its connections after every kind of failure', async () => {
    const one = new pg.Pool({ connectionString: database.owner, max: 1, connectionTimeoutMillis: 60_000 });
    const inbox = postgresInbox(one);
    await inbox.prepare!();
    await expect(
      inbox.once(a, async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await expect(inbox.once(a, async (tx) => void (await tx.query('nonsense')))).rejects.toThrow('syntax');
    const breaks = inbox.once(a, async (tx) => void (await tx.query('select pg_terminate_backend(pg_backend_pid())')));
    await expect(breaks).rejects.toMatchObject({ code: '57P01' });

    expect(await inbox.once(a, nothing)).toBe(true);
    await one.end();
  });

  it('ends an idle transaction, so that a frozen replica does not block others forever', async () => {
    const inbox = postgresInbox(pool, { idleSeconds: 0.1 });
    await inbox.prepare!();
    let frozen: Promise<boolean> | undefined;
    await new Promise<void>((begins) => {
      frozen = inbox.once(a, () => {
        begins();
        return pause(1000);
      });
    });
    const other = eventually(async () => ((await ids()).length === 0 ? inbox.once(a, nothing) : undefined));

    expect(await other).toBe(true);
    const error = await frozen!.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining('left its transaction idle for more than 0.1 seconds'),
      cause: { code: '25P03' },
    });
    expect(isTransient(error)).toBe(false); // otherwise its event would be delivered again and again, and never be parked
  });

  it('passes a refusal through after its transaction was ended as idle', async () => {
    const inbox = postgresInbox(pool, { idleSeconds: 0.1 });
    await inbox.prepare!();
    const refused = inbox.once(a, async (tx) => {
      await new Promise((ended) => tx.once('error', ended));
      throw new Refusal('service.unavailable');
    });

    await expect(refused).rejects.toMatchObject({ key: 'service.unavailable' });
  });

  it('can be prepared concurrently, and without the right to create tables once the table exists', async () => {
    const app = new pg.Pool({ connectionString: database.app });
    const prepare = () => postgresInbox(pool).prepare!();

    await expect(postgresInbox(app).prepare!()).rejects.toThrow('run INBOX_SQL as the owner');
    await Promise.all([prepare(), prepare(), prepare()]);
    await postgresInbox(app).prepare!();
    await pool.query(INBOX_SQL);

    expect(await postgresInbox(app).once(a, nothing)).toBe(true);
    await app.end();
  });

  it('takes over the table of version 0.1 with its rows, so that no event is handled twice', async () => {
    await pool.query(INBOX_SQL);
    await pool.query('alter table codase_inbox rename to cds_inbox; alter index codase_inbox_handled_at rename to cds_inbox_handled_at');
    await pool.query('insert into cds_inbox values ($1, $2, now())', [a.consumer, a.message_id]);
    const inbox = postgresInbox(pool);
    await inbox.prepare!();

    expect(await inbox.once(a, nothing)).toBe(false);
  });

  it('waits at start for a database that is starting, and logs it once', async () => {
    const address = new URL(database.owner);
    const proxy = await FaultProxy.open({ target: { host: address.hostname, port: Number(address.port) } });
    address.port = String(proxy.port);
    address.searchParams.delete('host'); // the socket of the server, past the proxy
    proxy.refuse();
    const through = new pg.Pool({ connectionString: address.href });
    const said: string[] = [];
    const inbox = postgresInbox(through, { log: { ...silentLog, warn: (message) => void said.push(message) } });
    const prepared = inbox.prepare!();
    await pause(500);
    await proxy.heal();
    await prepared;

    expect(await inbox.once(a, nothing)).toBe(true);
    expect(said).toEqual(['waiting for the database of the inbox, which cannot be reached']);
    await through.end();
    await proxy.close();
  });

  it('gives up after its timeout, and at once when waiting cannot help', async () => {
    const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/x' });
    await expect(postgresInbox(nowhere, { connectSeconds: 0.3, log: silentLog }).prepare!()).rejects.toThrow(
      'waited 0.3 seconds for its database',
    );

    const elsewhere = new URL(database.owner);
    elsewhere.pathname = '/no_such_database';
    const wrong = new pg.Pool({ connectionString: elsewhere.href });
    await expect(postgresInbox(wrong).prepare!()).rejects.toMatchObject({ cause: { code: '3D000' } });
    await wrong.end();
  });

  it('reports that it cannot begin, so that the event waits', async () => {
    await expect(postgresInbox(pool).once(a, nothing)).rejects.toMatchObject({ key: 'service.unavailable' });
    const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/x' });
    await expect(postgresInbox(nowhere).once(a, nothing)).rejects.toMatchObject({ key: 'service.unavailable' });
  });

  it('deletes in portions what the stream no longer has', async () => {
    const clock = new ManualClock();
    const inbox = postgresInbox(pool, { clock });
    await inbox.prepare!();
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
    await pool.query(`insert into codase_inbox select 'shop_customers', 'old ' || n, $1 from generate_series(1, 1500) n`, [daysAgo(16)]);
    await pool.query(`insert into codase_inbox values ('shop_customers', 'young', $1)`, [daysAgo(14)]);

    await inbox.once(a, nothing);
    expect(await ids()).toHaveLength(502);
    await inbox.once(a, nothing);
    expect(await ids()).toEqual(['a', 'young']);
  });
});
