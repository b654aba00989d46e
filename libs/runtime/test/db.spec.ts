import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import { jest } from '@jest/globals';
import {
  AROUND_VALUE_BYTES,
  ForwardMigration,
  column,
  execute,
  furtherPool,
  hasRow,
  limitStatements,
  longRow,
  many,
  migrate,
  one,
  openDatabase,
  prepared,
  sql,
  together,
  transactionAtOnce,
  transactionFrom,
  type Db,
} from '@codase/runtime/db';
import { isTransient } from '@codase/runtime/resilience';
import { eventually, FaultProxy, testDatabase, type TestDatabase } from '@codase/testing';
import { refuseInTransaction } from '../src/open-transaction.ts';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

class Things1700000000001 extends ForwardMigration {
  async up(db: QueryRunner) {
    await db.query('create table thing (id int primary key, name text not null)');
  }
}

/** The migrations that run in this database. Other databases of the server may be migrated meanwhile. */
const MIGRATING = `
  select from pg_locks where locktype = 'advisory' and granted and objid = ${0x434453}
    and database = (select oid from pg_database where datname = current_database())`;

/** Records the limits under which it runs, and whether it runs alone. */
class Limits1700000000002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table migration_limit as
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
             (select count(*) = 1 from (${MIGRATING}) as migrating) as one_at_a_time`);
    await db.query('select pg_sleep(0.1)');
  }
}

/** Needs an exclusive lock on the table. */
class Column1700000000003 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table thing add note text');
  }
}

/** Returns in how many packets the work is sent on the only connection of a pool. */
async function packetsOf(single: DataSource, work: () => Promise<void>): Promise<number> {
  const runner = single.createQueryRunner();
  const { stream } = ((await runner.connect()) as { connection: { stream: Writable } }).connection;
  await runner.release();
  let sent = 0;
  const [one, several] = [stream._write.bind(stream), stream._writev!.bind(stream)];
  stream._write = (chunk, encoding, done) => ((sent += 1), one(chunk, encoding, done));
  stream._writev = (chunks, done) => ((sent += 1), several(chunks, done));
  await work();
  return sent;
}

describe('a database', () => {
  let database: TestDatabase;
  let db: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  it('is migrated once when several replicas start at the same time', async () => {
    const owner = { url: database.owner, name: 'test', migrations: [Things1700000000001] };

    const ran = await Promise.all([migrate(owner), migrate(owner), migrate(owner)]);

    expect(ran.flat()).toEqual(['Things1700000000001']);
    db = await openDatabase({ url: database.app, name: 'test' });
  });

  it('is migrated with its own time limits, by one replica at a time', async () => {
    const owner = { url: database.owner, name: 'test', migrations: [Things1700000000001, Limits1700000000002] };

    const ran = await Promise.all([migrate(owner), migrate(owner)]);

    expect(ran.flat()).toEqual(['Limits1700000000002']);
    expect(await one(db, sql`select statement, lock, one_at_a_time from migration_limit`)).toEqual({
      statement: '30min',
      lock: '5s',
      one_at_a_time: true,
    });
  });

  it('is migrated without blocking its users: a migration that waits for a lock gives up and retries', async () => {
    const owner = { url: database.owner, name: 'test', migrations: [Things1700000000001, Limits1700000000002, Column1700000000003] };
    const printed = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const reader = db.createQueryRunner();
    await reader.startTransaction();
    await reader.query('select * from thing');

    const migrating = migrate(owner, { lockMs: 50, lockAttempts: 1000 });
    await eventually(async () => (await reader.query(MIGRATING)).length > 0 || undefined);
    await expect(migrate(owner, { turnMs: 100 })).rejects.toMatchObject({ code: '57014' });
    await reader.commitTransaction();
    await reader.release();

    expect(await migrating).toEqual(['Column1700000000003']);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it('returns rows for every SQL verb, and binds every value', async () => {
    expect(await many(db, sql`insert into thing values (${1}, ${"Bobby'); drop table thing; --"}) returning id`)).toEqual([{ id: 1 }]);
    expect(await many(db, sql`update thing set name = ${'Bobby'} where id = ${1} returning name`)).toEqual([{ name: 'Bobby' }]);
    expect(await one(db, sql`select name from thing where id = ${1}`)).toEqual({ name: 'Bobby' });
    expect(await many(db, sql`delete from thing returning id`)).toEqual([{ id: 1 }]);
    expect(await one(db, sql`select name from thing`)).toBeUndefined();
  });

  it('runs the statement that follows in backticks, and prepares one that has a name', async () => {
    await execute(db)`insert into thing values (${1}, ${"Bobby'); drop table thing; --"})`;
    expect(await many(db)`update thing set name = ${'Bobby'} where id = ${1} returning name`).toEqual([{ name: 'Bobby' }]);

    const found = await db.transaction(async (tx) => [
      await one(tx, 'thing_named')`select id from thing where name = ${'Bobby'}`,
      await many(tx)`select name from pg_prepared_statements where name = ${'thing_named'}`,
    ]);

    expect(found).toEqual([{ id: 1 }, [{ name: 'thing_named' }]]);
    await execute(db)`delete from thing`;
  });

  it('runs the statement behind it, and binds every value of it', async () => {
    const name = "Bobby'); drop table thing; --";

    await execute(db)`insert into thing values (${7}, ${name}), (${8}, ${'Ana'})`;
    expect(await many(db)`select id, name from thing order by id`).toEqual([
      { id: 7, name },
      { id: 8, name: 'Ana' },
    ]);
    expect(await one(db)`select id from thing where name = ${name}`).toEqual({ id: 7 });
    expect(await column(db)`select id from thing order by id`).toEqual([7, 8]);
    expect(await hasRow(db)`select from thing where name = ${name}`).toBe(true);
    expect(await hasRow(db)`delete from thing where id = ${9} returning 1`).toBe(false);
    await execute(db)`delete from thing`;
  });

  it('rolls back a transaction that throws', async () => {
    const half = db.transaction(async (tx) => {
      await execute(tx, sql`insert into thing values (${2}, ${'half'})`);
      throw new Error('no');
    });

    await expect(half).rejects.toThrow('no');
    expect(await many(db, sql`select id from thing`)).toEqual([]);
  });

  describe('concurrent statements of a transaction', () => {
    const add = (tx: EntityManager, id: number, name: string) => execute(tx, sql`insert into thing values (${id}, ${name})`);
    afterEach(() => execute(db, sql`delete from thing`));

    it('run in the order in which they were started', async () => {
      const begun = db.transaction((tx) =>
        together([
          add(tx, 1, 'one'),
          many(tx, prepared('thing_rename', sql`update thing set name = ${'uno'} where id = 1`)),
          many(tx, sql`select name from thing`),
          add(tx, 2, 'two'),
          many(tx, prepared('thing_names', sql`select name from thing order by id`)),
        ]),
      );

      const [, , before, , after] = await begun;
      expect(before).toEqual([{ name: 'uno' }]);
      expect(after).toEqual([{ name: 'uno' }, { name: 'two' }]);
    });

    it('fail with the first error, and write nothing', async () => {
      const later = async (tx: EntityManager) => void (await many(tx, sql`select 1 / 0`));
      const begun = db.transaction((tx) => together([add(tx, 1, 'one'), later(tx), add(tx, 1, 'again'), many(tx, sql`select 1`)]));

      await expect(begun).rejects.toMatchObject({ code: '22012' });
      expect(await many(db, sql`select id from thing`)).toEqual([]);
    });

    it('are sent without waiting for the previous result', async () => {
      const single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      const sent = await packetsOf(single, () =>
        single.transaction(async (tx) => {
          await together([many(tx, sql`select 1 where ${true}`), many(tx, sql`select 2 where ${true}`)]);
        }),
      );

      expect(sent).toBe(['begin', 'both', 'commit'].length);
      await single.destroy();
    });
  });

  describe('a transaction whose first statement is sent with its BEGIN', () => {
    const idsIn = (tx: EntityManager) => many<{ id: number }>(tx, sql`select id from thing`);
    const add = (tx: EntityManager, id: number) => execute(tx, sql`insert into thing values (${id}, 'a')`);
    afterEach(() => execute(db, sql`delete from thing`));

    it('commits and rolls back like any other', async () => {
      const counted = await transactionFrom(db, idsIn, async (tx, found) => {
        await add(tx, 1);
        return found.length + (await idsIn(tx)).length;
      });
      expect(counted).toBe(1);

      const half = transactionFrom(db, idsIn, async (tx) => {
        await add(tx, 2);
        refuseInTransaction('a request');
      });
      await expect(half).rejects.toThrow('a request inside an open transaction');
      expect(await many(db, sql`select id from thing`)).toEqual([{ id: 1 }]);
    });

    it('does not run its work when the first statement fails', async () => {
      const single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      let isBegun = false;
      const failed = transactionFrom(
        single,
        (tx) => many(tx, sql`select 1 / 0`),
        async () => void (isBegun = true),
      );
      await expect(failed).rejects.toMatchObject({ code: '22012' });
      expect(isBegun).toBe(false);
      expect(await one(single, sql`select now() = statement_timestamp() as is_alone`)).toEqual({ is_alone: true });
      await single.destroy();
    });
  });

  describe('a transaction whose statements are all sent at once', () => {
    const ids = () => many<{ id: number }>(db, sql`select id from thing where id > 20 order by id`);
    const add = (tx: EntityManager, id: number) => one<{ id: number }>(tx, sql`insert into thing values (${id}, 'at once') returning id`);
    afterEach(async () => {
      await execute(db, sql`delete from thing where id > 20`);
    });

    it('is sent in one packet, with its BEGIN and its COMMIT', async () => {
      const single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      let added: unknown;
      const sent = await packetsOf(single, async () => {
        added = await transactionAtOnce(single, (tx) => together([add(tx, 21), add(tx, 22)]));
      });

      expect(added).toEqual([{ id: 21 }, { id: 22 }]);
      expect(await ids()).toEqual([{ id: 21 }, { id: 22 }]);
      expect(sent).toBe(1);
      await single.destroy();
    });

    it('writes nothing when one of its statements fails', async () => {
      const half = transactionAtOnce(db, (tx) => together([add(tx, 23), many(tx, sql`select 1 / 0`), add(tx, 24)]));

      await expect(half).rejects.toMatchObject({ code: '22012' });
      expect(await ids()).toEqual([]);
      expect(await one(db, sql`select now() = statement_timestamp() as is_alone`)).toEqual({ is_alone: true });
    });

    it('is not left open when the work itself throws', async () => {
      const single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      const thrown = transactionAtOnce(single, () => {
        throw new Error('no statement was begun');
      });

      await expect(thrown).rejects.toThrow('no statement was begun');
      expect(await one(single, sql`select now() = statement_timestamp() as is_alone`)).toEqual({ is_alone: true });
      await single.destroy();
    });

    it('refuses a statement that is started after the commit', async () => {
      const late = transactionAtOnce(db, async (tx) => {
        await add(tx, 25);
        await add(tx, 26);
      });

      await expect(late).rejects.toThrow('begin all statements before you wait for one');
      expect(await ids()).toEqual([{ id: 25 }]);
    });
  });

  it('opens the connections of a further pool only when the pool is used', async () => {
    const config = { DATABASE_URL: database.app, DATABASE_POOL: 10, CONNECT_SECONDS: 5 };
    const further = await furtherPool(db, config, { name: 'test-further', size: 2 });
    const connections = () => many(db, sql`select from pg_stat_activity where application_name = 'test-further'`);
    expect(await connections()).toHaveLength(0);

    expect(await further.transaction((tx) => one(tx, sql`select current_setting('statement_timeout') as limit`))).toEqual({ limit: '30s' });
    expect(await connections()).toHaveLength(1);

    await further.destroy();
  });

  it('refuses a bus request inside a transaction, and allows it before and after', async () => {
    const asks = () => refuseInTransaction('a request');
    asks();
    await expect(db.transaction(async () => asks())).rejects.toThrow('a request inside an open transaction: ask before it or after it');
    await expect(db.transaction('REPEATABLE READ', async () => asks())).rejects.toThrow('inside an open transaction');

    let later: Promise<void> | undefined;
    await db.transaction(async () => void (later = new Promise((resolve) => setTimeout(resolve, 5)).then(asks)));
    await later;
  });

  describe('a prepared statement', () => {
    const nameOf = (id: number) => prepared('thing_name', sql`select name from thing where id = ${id}`);
    let single: DataSource;
    let owner: DataSource;
    beforeAll(async () => {
      single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      owner = await openDatabase({ url: database.owner, name: 'test', pool: 1 });
      await execute(single, sql`insert into thing values (7, 'seven'), (8, 'eight')`);
    });
    afterAll(async () => {
      await execute(single, sql`delete from thing`);
      await Promise.all([single.destroy(), owner.destroy()]);
    });

    it('is planned once and runs each time with its own values', async () => {
      const found = [await one(single, nameOf(7)), await single.transaction((tx) => one(tx, nameOf(8))), await one(single, nameOf(9))];

      expect(found).toEqual([{ name: 'seven' }, { name: 'eight' }, undefined]);
      const kept = await many(single, sql`select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements`);
      expect(kept).toEqual([{ name: 'thing_name', runs: 3 }]);
    });

    it('is planned again after the table has changed', async () => {
      await execute(owner, sql`alter table thing add column size int`);

      expect(await one(single, nameOf(7))).toEqual({ name: 'seven' });
    });

    it('receives the description of its rows once', async () => {
      const all = prepared('thing_all', sql`select id, name, nullif(id, 7) as other, id > 7 as is_eight from thing order by id`);
      const expected = [
        { id: 7, name: 'seven', other: null, is_eight: false },
        { id: 8, name: 'eight', other: 8, is_eight: true },
      ];
      const runner = single.createQueryRunner();
      const { connection } = (await runner.connect()) as { connection: EventEmitter };
      const described = jest.fn();
      connection.on('rowDescription', described);
      await runner.release();

      for (let nth = 0; nth < 3; nth++) expect(await many(single, all)).toEqual(expected);
      expect(await single.transaction((tx) => together([many(tx, all), many(tx, all)]))).toEqual([expected, expected]);

      expect(described).toHaveBeenCalledTimes(1);
      connection.off('rowDescription', described);
    });

    it('refuses a different statement under the same name', async () => {
      await expect(one(single, prepared('thing_name', sql`select id from thing`))).rejects.toThrow('must be unique');
    });

    it('reports an error like any other statement', async () => {
      await expect(one(single, prepared('thing_drop', sql`drop table thing`))).rejects.toMatchObject({
        code: '42501',
        name: 'QueryFailedError',
      });
    });
  });

  describe('a statement without a name', () => {
    let single: DataSource;
    let owner: DataSource;
    beforeAll(async () => {
      single = await openDatabase({ url: database.app, name: 'test', pool: 1 });
      owner = await openDatabase({ url: database.owner, name: 'test', pool: 1 });
      await execute(single, sql`insert into thing values (7, 'seven'), (8, 'eight')`);
    });
    afterAll(async () => {
      await execute(single, sql`delete from thing`);
      await Promise.all([single.destroy(), owner.destroy()]);
    });

    const preparedLike = (part: string) =>
      many(single, sql`select name from pg_prepared_statements where statement ~ ${part} and statement !~ 'pg_prepared'`);

    it('is prepared when its connection runs it again, in a transaction too', async () => {
      const nameOf = (db: Db, id: number) => one(db)`select name as by_id from thing where id = ${id}`;

      expect(await nameOf(single, 7)).toEqual({ by_id: 'seven' });
      expect(await preparedLike('by_id')).toEqual([]);
      expect(await single.transaction((tx) => nameOf(tx, 8))).toEqual({ by_id: 'eight' });
      expect(await nameOf(single, 9)).toBeUndefined();
      expect(await preparedLike('by_id')).toHaveLength(1);
    });

    it('returns the columns that a migration adds, alone and in a transaction', async () => {
      const all = (db: Db) => many<object>(db)`select * from thing where id > ${7}`;
      const columns = async (db: Db) => Object.keys((await all(db))[0]!).length;
      const before = await columns(single);
      expect(await columns(single)).toBe(before);
      expect(await preparedLike('from thing where id > ')).toHaveLength(1);

      await execute(owner, sql`alter table thing add column colour text`);

      expect(await single.transaction(columns)).toBe(before + 1);
      expect(await columns(single)).toBe(before + 1);
      expect(await columns(single)).toBe(before + 1);
    });

    it('runs after a column has changed its type, but for the transaction that meets it first', async () => {
      const weightOf = (db: Db) => one(db)`select weight from thing where id = ${7}`;
      await execute(owner, sql`alter table thing add column weight int default 1`);
      for (let nth = 0; nth < 2; nth++) expect(await weightOf(single)).toEqual({ weight: 1 });

      await execute(owner, sql`alter table thing alter column weight type text`);
      expect(await weightOf(single)).toEqual({ weight: '1' });

      await execute(owner, sql`alter table thing alter column weight type int using weight::int`);
      await expect(single.transaction(weightOf)).rejects.toMatchObject({ code: '0A000' });
      expect(await single.transaction(weightOf)).toEqual({ weight: 1 });
    });

    it('is not run a second time alone when the transaction that was sent with it has failed', async () => {
      const add = (db: Db) => one(db)`insert into thing (id, name) values (${9}, 'nine') returning weight`;
      for (let nth = 0; nth < 2; nth++) await add(single).finally(() => execute(single, sql`delete from thing where id = 9`));
      await execute(owner, sql`alter table thing alter column weight type text`);

      await expect(transactionAtOnce(single, add)).rejects.toMatchObject({ code: '0A000' });

      expect(await hasRow(single)`select from thing where id = ${9}`).toBe(false);
    });

    it('runs again after the connection has lost it', async () => {
      const nameOf = () => one(single)`select name as lost from thing where id = ${7}`;
      for (let nth = 0; nth < 2; nth++) await nameOf();
      await execute(single, sql`deallocate all`);

      expect(await nameOf()).toEqual({ lost: 'seven' });
    });

    it('is prepared anew by the connection that follows one that was killed', async () => {
      const nameOf = () => one(single)`select name as killed from thing where id = ${7}`;
      for (let nth = 0; nth < 2; nth++) await nameOf();

      await execute(single, sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);

      expect(await eventually(() => nameOf().catch(() => undefined))).toEqual({ killed: 'seven' });
      expect(await nameOf()).toEqual({ killed: 'seven' });
      expect(await preparedLike('killed')).toHaveLength(1);
    });

    it('runs again after it was cancelled', async () => {
      const sleep = (db: Db, seconds: number) => one(db)`select pg_sleep(${seconds})::text as slept`;
      for (let nth = 0; nth < 2; nth++) await sleep(single, 0);

      const cancelled = single.transaction(async (tx) => {
        await limitStatements(tx.queryRunner!, 20);
        await sleep(tx, 60);
      });
      await expect(cancelled).rejects.toMatchObject({ driverError: { code: '57014' } });

      expect(await sleep(single, 0)).toEqual({ slept: '' });
    });

    it('leaves room for others: the server keeps a limited number of them, also while a transaction has failed', async () => {
      const numbered = (nth: number) => ({ text: `select $1::int as room_${nth}`, values: [nth] });
      const runTwice = async (db: Db, nth: number) => {
        for (let run = 0; run < 2; run++) expect(await one(db, numbered(nth))).toEqual({ [`room_${nth}`]: nth });
      };
      for (let nth = 0; nth < 250; nth++) await runTwice(single, nth);
      await single
        .transaction(async (tx) => {
          await execute(tx, sql`select 1 / 0`).catch(() => undefined);
          for (let nth = 250; nth < 300; nth++) await one(tx, numbered(nth)).catch(() => undefined);
        })
        .catch(() => undefined);
      for (let nth = 300; nth < 350; nth++) await runTwice(single, nth);

      expect((await many(single, sql`select from pg_prepared_statements where name like 'auto%'`)).length).toBeLessThanOrEqual(100);
      await runTwice(single, 0);
    });
  });

  it('drops a connection that does not answer soon after the statement timeout, and uses another', async () => {
    const address = new URL(database.app);
    const proxy = await FaultProxy.open({ target: { host: address.hostname, port: Number(address.port) } });
    address.port = String(proxy.port);
    address.searchParams.delete('host'); // the socket of the server, past the proxy
    const [direct, through, reader] = await Promise.all(
      [database.app, address.href, database.app].map((url) => openDatabase({ url, name: 'test', pool: 1, statementMs: 1000 })),
    );
    const connectionOfReader = () => one(reader!, sql`select pg_backend_pid() as pid`);
    const before = await connectionOfReader();
    await longRow(reader!, sql`select 'read'`, Buffer.alloc(AROUND_VALUE_BYTES + 100));
    const patient = direct!.transaction(async (tx) => {
      await limitStatements(tx.queryRunner!, 60_000);
      const slept = await one(tx, sql`select 'sound' as slept from pg_sleep(7)`);
      return [slept, await one(tx, prepared('thing_sleep', sql`select current_setting('statement_timeout') as limit`))];
    });

    proxy.blackHole();
    const next = one(through!, sql`select 1 as up`).catch((error: unknown) =>
      Promise.all([Promise.resolve(isTransient(error)), proxy.heal(), one(through!, sql`select 2 as up`)]),
    );

    expect(await next).toEqual([true, undefined, { up: 2 }]);
    expect(await patient).toEqual([{ slept: 'sound' }, { limit: '1min' }]);
    expect(await one(direct!, sql`select current_setting('statement_timeout') as limit`)).toEqual({ limit: '1s' });
    expect(await connectionOfReader()).toEqual(before); // the limit of a row that was read does not end its connection later
    await Promise.all([direct!.destroy(), through!.destroy(), reader!.destroy()]);
    await proxy.close();
  });

  it('does not let the app role create or drop tables', async () => {
    await expect(execute(db, sql`drop table thing`)).rejects.toMatchObject({ code: '42501' });
    await expect(execute(db, sql`create table other (id int)`)).rejects.toMatchObject({ code: '42501' });
  });
});
