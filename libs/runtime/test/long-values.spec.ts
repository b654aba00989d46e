import { AROUND_VALUE_BYTES, execute, longRow, one, openDatabase, prepared, sendLong, sql } from '@codase/runtime/db';
import { eventually, testDatabase, type TestDatabase } from '@codase/testing';
import type Pg from 'pg';
import type { DataSource } from 'typeorm';

const LONG = Buffer.alloc(400_000, 'abcdefg');
const memory = (bytes = 1_000_000) => Buffer.alloc(bytes + AROUND_VALUE_BYTES);

/** Uses one connection, so that anything a statement leaves on it affects the next statement. */
describe('long values of the database', () => {
  let database: TestDatabase;
  let db: DataSource;
  let other: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
    db = await openDatabase({ url: database.owner, name: 'long values', pool: 1 });
    other = await openDatabase({ url: database.owner, name: 'other', pool: 2 });
    await execute(db, sql`create table long_value (id int primary key, value text not null)`);
  });
  afterAll(async () => {
    await db?.destroy();
    await other?.destroy();
    await database?.drop();
  });
  beforeEach(() => execute(db, sql`truncate long_value`));

  const adds = (id: number, value: Uint8Array = LONG) =>
    sendLong(db, prepared('add_long_value', sql`insert into long_value (id, value) values (${id}, ${value}) returning 1`));
  const reads = (id: number, into = memory()) => longRow(db, sql`select value, id::text from long_value where id = ${id}`, into);
  const backend = async () => (await one<{ pid: number }>(db, sql`select pg_backend_pid() as pid`))!.pid;
  const isThere = async (id: number) => (await reads(id))?.[0]?.equals(LONG);
  /** Ends the connection as soon as its backend waits for something. */
  const cuts = async (pid: number) => {
    const waits = sql`select from pg_stat_activity where pid = ${pid} and wait_event_type in ('Lock', 'Timeout')`;
    await eventually(() => one(other, waits));
    await execute(other, sql`select pg_terminate_backend(${pid})`);
  };
  /** The backend of the next connection, once the pool has noticed that the one before is gone. */
  const nextBackend = () => eventually(() => backend().catch(() => undefined));
  const withConnection = async <T>(work: (client: Pg.PoolClient) => T): Promise<T> => {
    const runner = db.createQueryRunner();
    try {
      return work((await runner.connect()) as Pg.PoolClient);
    } finally {
      await runner.release();
    }
  };
  const streamOf = (client: Pg.PoolClient) => (client as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection.stream;
  const listeners = () => withConnection((client) => streamOf(client).listenerCount('data'));

  it('are read back as they were stored', async () => {
    expect(await adds(1)).toBe(1);

    const [value, id] = (await reads(1))!;

    expect([value!.equals(LONG), id!.toString()]).toEqual([true, '1']);
    expect(await reads(2)).toBeUndefined();
  });

  it('leave the connection usable when the statement rejects them', async () => {
    await adds(1);
    const pid = await backend();

    await expect(adds(1)).rejects.toMatchObject({ code: '23505' });
    await expect(adds(2, Buffer.from([0xff, 0xfe]))).rejects.toMatchObject({ code: '22021' });

    expect([await adds(3), await isThere(3), await backend()]).toEqual([1, true, pid]);
  });

  it('fail when the connection ends during a write, and the next write uses a new connection', async () => {
    await adds(1);
    const pid = await backend();
    const holder = other.createQueryRunner();
    await holder.startTransaction();
    await holder.query('insert into long_value (id, value) values (2, $1)', ['held']);

    const storing = adds(2).catch((error: unknown) => error);
    await cuts(pid);

    expect(await storing).toMatchObject({ code: '57P01' });
    await holder.rollbackTransaction();
    await holder.release();
    expect(await nextBackend()).not.toBe(pid);
    expect([await adds(2), await isThere(2)]).toEqual([1, true]);
  });

  it('leave the connection usable when a statement fails after some of them arrived', async () => {
    await adds(1);
    const pid = await backend();

    const failing = longRow(db, sql`select repeat('a', 100000), (1 / (3 - n))::text from generate_series(1, 5) n`, memory());

    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect([await isThere(1), await backend(), await listeners()]).toEqual([true, pid, 1]);
  });

  it('fail when the connection ends during a read, and the next read uses a new connection', async () => {
    await adds(1);
    const pid = await backend();

    const reading = longRow(
      db,
      sql`select repeat('a', 100000) from generate_series(1, 3) n where n < 3 or pg_sleep(60) is not null`,
      memory(),
    ).catch((error: unknown) => error);
    await cuts(pid);

    expect(await reading).toMatchObject({ code: '57P01' });
    expect(await nextBackend()).not.toBe(pid);
    expect(await isThere(1)).toBe(true);
  });

  it('release the connection when their reader no longer waits', async () => {
    await adds(1);

    void reads(1);
    void reads(1, memory(10)).catch(() => undefined);

    expect([await isThere(1), await listeners()]).toEqual([true, 1]);
  });

  it('are refused when the buffer is too small', async () => {
    await adds(1);

    await expect(reads(1, memory(LONG.length - 100))).rejects.toThrow('longer than the memory');

    expect([await isThere(1), await listeners()]).toEqual([true, 1]);
  });

  it('are read by the driver when another listener uses the connection', async () => {
    await adds(1);
    const [heard, listener] = [[] as Buffer[], (chunk: Buffer) => void heard.push(chunk)];
    await withConnection((client) => streamOf(client).on('data', listener));

    const found = await isThere(1);

    await withConnection((client) => streamOf(client).off('data', listener));
    expect([found, Buffer.concat(heard).length > LONG.length, await listeners()]).toEqual([true, true, 1]);
  });
});
