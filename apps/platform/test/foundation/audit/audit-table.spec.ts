import { migrate, many, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { BUS_MESSAGE_BYTES } from '@codase/contracts';
import { createDatabase } from '@codase/servers';
import { onBehalfOf } from '@codase/runtime/initiator';
import { eventually, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditExport } from '../../../src/foundation/audit/audit-export.service.ts';
import { Audit } from '../../../src/foundation/audit/audit.service.ts';
import { lastPosition, raiseEpoch, timeOfLast } from '../../../src/foundation/audit/audit.store.ts';
import { AuditPartitions } from '../../../src/foundation/audit/audit-partitions.worker.ts';
import { isBehind } from '../../../src/foundation/audit/restore-mark.ts';
import { Audit1763164800020 } from '../../../src/migrations/1763164800020-audit.ts';
import { TransparencyLog1763164800222 } from '../../../src/migrations/1763164800222-transparency-log.ts';
import { AuditColumns1763164800220 } from '../../../src/migrations/1763164800220-audit-columns.ts';
import { LogMirror1763164800280 } from '../../../src/migrations/1763164800280-log-mirror.ts';

const MIGRATIONS = [Audit1763164800020, AuditColumns1763164800220, TransparencyLog1763164800222, LogMirror1763164800280];
const PASSWORD = 'only-for-tests';
const SETTINGS = { addresses: 'full', retentionYears: 3 } as const;

describe('the audit table', () => {
  let database: TestDatabase;
  let app: DataSource;
  let owner: DataSource;
  let now = new Date();
  const clock = { now: () => now };
  beforeAll(async () => {
    database = await testDatabase();
    await migrate({ url: database.owner, name: 'audit', migrations: MIGRATIONS });
    app = await openDatabase({ url: database.app, name: 'app', pool: 2 });
    owner = await openDatabase({ url: database.owner, name: 'owner', pool: 1 });
  });
  afterAll(async () => {
    await Promise.all([app?.destroy(), owner?.destroy()]);
    await database?.drop();
  });

  const audit = () => new Audit(app, SETTINGS, clock, silentLog);
  const rotate = () => new AuditPartitions(app, SETTINGS, clock, silentLog).rotate();
  const months = async () =>
    (await many<{ name: string }>(owner, sql`select tablename as name from pg_tables where schemaname = 'audit_month' order by 1`)).map(
      ({ name }) => name,
    );
  const month = (at: Date) => `m${at.toISOString().slice(0, 7).replace('-', '')}`;
  const monthsFrom = (at: Date, ahead: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 15));

  it('stores an entry in the transaction of the act, so that both commit or neither', async () => {
    await app.transaction((tx) => audit().record(tx, { act: 'client.created', account_id: 'usr_1', object: 'acct_kept' }));
    await app
      .transaction(async (tx) => {
        await audit().record(tx, { act: 'client.created', account_id: 'usr_1', object: 'acct_undone' });
        throw new Error('it did not come to pass');
      })
      .catch(() => undefined);

    expect(await many(app, sql`select object from audit.entry where act = 'client.created'`)).toEqual([{ object: 'acct_kept' }]);
  });

  it("writes refusals in batches with the caller's address, and sums up those over the limit", async () => {
    const refusing = audit();
    onBehalfOf({ address: '192.0.2.7' }, () => {
      for (let n = 0; n < 50; n++) refusing.refused({ act: 'sign_in', outcome: 'oauth.access_denied', account_id: 'usr_2' });
    });
    await refusing.flush();
    await refusing.onApplicationShutdown();

    const rows = await many<{ address: string | null; details: { count?: number } }>(
      app,
      sql`select address, details from audit.entry where act = 'sign_in' order by seq`,
    );
    expect(rows).toHaveLength(11);
    expect(rows[0]).toEqual({ address: '192.0.2.7', details: {} });
    expect(rows.at(-1)).toEqual({ address: null, details: { count: 40 } });
  });

  it('counts entries that could not be written, and writes the count when the database is back', async () => {
    const broken = { createQueryRunner: () => ({ query: () => Promise.reject(new Error('gone')), release: async () => {} }) };
    const refusing = audit();
    refusing.refused({ act: 'token.refused', outcome: 'auth.token_invalid' });
    const db = refusing['db'];
    Object.assign(refusing, { db: broken });
    await expect(refusing.flush()).rejects.toThrow('gone');
    Object.assign(refusing, { db });
    await refusing.onApplicationShutdown();

    expect(await many(app, sql`select details from audit.entry where act = 'token.refused'`)).toEqual([{ details: { count: 1 } }]);
  });

  it.each([
    `update audit.entry set initiator = 'somebody else'`,
    `delete from audit.entry`,
    `truncate audit.entry`,
    `alter table audit.entry disable trigger all`,
    `drop table audit.entry`,
    `update audit_month.other set initiator = 'somebody else'`,
    `delete from audit_month.other`,
    `select from audit_month.other`,
    `update audit.epoch set epoch = 7`,
    `delete from audit.epoch`,
    `create table audit.mine ()`,
    `insert into audit.entry (epoch, at, act, outcome) values (2147483647, now(), 'sign_in', 'done')`,
    `insert into audit.entry (txid, at, act, outcome) values (900000000000000000, now(), 'sign_in', 'done')`,
    `insert into audit.entry (seq, at, act, outcome) overriding system value values (1, now(), 'sign_in', 'done')`,
    `insert into audit.entry (written_at, at, act, outcome) values ('2199-01-01', now(), 'sign_in', 'done')`,
    `select audit_raise_epoch(2147483646)`,
    `insert into audit.entry (salt, at, act, outcome) values ('00000000-0000-4000-8000-000000000000', now(), 'sign_in', 'done')`,
    `insert into audit.log_leaf (number, hash, epoch, txid, seq) values (9000000000, '', 1, 1, 1)`,
    `update audit.log_leaf set hash = ''`,
    `delete from audit.log_leaf`,
    `truncate audit.log_leaf`,
    `drop trigger number_leaf on audit.log_leaf`,
    `delete from audit.log_mirror`,
    `truncate audit.log_mirror`,
    `drop trigger keep_head on audit.log_mirror`,
  ])('forbids the app role: %s', async (text) => {
    await expect(app.query(text)).rejects.toThrow(/permission denied|must be owner/);
  });

  it.each([
    ['a time that no date can hold', 'entry_at', { at: 'infinity' }],
    ['a time in a far millennium', 'entry_at', { at: '9999-01-01' }],
    ['ids of a megabyte', 'entry_size', { object: 'x'.repeat(1_000_000) }],
    ['details of a megabyte', 'entry_size', { details: JSON.stringify({ name: 'x'.repeat(1_000_000) }) }],
    ['details that are no object', 'entry_details', { details: '"x"' }],
  ])('refuses a row with %s', async (_, constraint, row: { at?: string; object?: string; details?: string }) => {
    const { at = '2026-01-01', object = 'x', details = '{}' } = row;
    const insert = sql`
      insert into audit.entry (at, act, outcome, object, details)
      values (${at}::timestamptz, 'sign_in', 'done', ${object}, ${details}::jsonb)`;

    await expect(many(app, insert)).rejects.toMatchObject({ constraint });
  });

  it.each(['1, 900000000000000000, 1', '2, 1, 1', '0, 0, 0'])(
    'refuses a leaf of the log for an entry that is not there: %s',
    async (position) => {
      await expect(
        app.query(`insert into audit.log_leaf (hash, epoch, txid, seq) values (sha256('x'), ${position})`),
      ).rejects.toMatchObject({ constraint: 'log_leaf_position' });
    },
  );

  it('makes no partitions beyond ten years', async () => {
    await app.query(`select audit_make_months('2150-01-01', '2150-12-31')`);

    expect(await months()).not.toContain('m215001');
  });

  it("forbids the app role to change its partitions, also after the role's rights are granted again", async () => {
    await rotate();
    const { pathname, username } = new URL(database.owner);
    const name = pathname.slice(1);
    expect(username).toBe(`${name}_owner`);
    await createDatabase(process.env['CODASE_TEST_POSTGRES_URL']!, { name, ownerPassword: PASSWORD, appPassword: PASSWORD });

    const inOwnMonth = await one<{ at: string }>(
      app,
      sql`select tableoid::regclass::text as at from audit.entry order by seq desc limit 1`,
    );
    expect(inOwnMonth).toEqual({ at: 'audit_month.other' });
    for (const table of ['audit.entry', ...(await months()).map((month) => `audit_month.${month}`)]) {
      await expect(app.query(`delete from ${table}`)).rejects.toThrow('permission denied');
      await expect(app.query(`update ${table} set outcome = 'done'`)).rejects.toThrow('permission denied');
      await expect(app.query(`truncate ${table}`)).rejects.toThrow('permission denied');
    }
  });

  it('is exported page by page without missing rows of a slower transaction', async () => {
    const reading = new AuditExport(app, audit());
    const objects = async (after?: string) => {
      const { items, cursor } = await reading.page({ account_id: 'usr_read', ...(after !== undefined && { after }) });
      return { objects: items.flatMap(({ object }) => object ?? []), cursor };
    };
    /**
     * Reads until a page has `count` objects: transactions of other databases of the server hold rows back too, so a page may be shorter
     * for a moment.
     */
    const objectsOnce = (count: number, after?: string) =>
      eventually(async () => {
        const { objects: read, cursor } = await objects(after);
        return cursor !== null && read.length >= count ? { objects: read, cursor } : undefined;
      });
    const records = (tx: EntityManager, object: string) => audit().record(tx, { act: 'client.created', account_id: 'usr_read', object });
    const first = await objectsOnce(0);
    await app.transaction((tx) => records(tx, 'one'));
    const slow = owner.createQueryRunner();
    await slow.startTransaction();
    await records(slow.manager, 'slow');
    await app.transaction((tx) => records(tx, 'quick'));

    const second = await objectsOnce(1, first.cursor);
    await slow.commitTransaction();
    await slow.release();
    const third = await objectsOnce(2, second.cursor);

    expect([first.objects, second.objects, third.objects]).toEqual([[], ['one'], ['slow', 'quick']]);
    expect((await objects(third.cursor)).cursor).toBe(third.cursor);
    await expect(reading.page({ after: 'x' })).rejects.toThrow('must be the cursor of an earlier answer');
  });

  it('is exported without the rows of an epoch that has not begun, which would lead a reader past all later rows', async () => {
    const reading = new AuditExport(app, audit());
    const records = (object: string) =>
      app.transaction((tx) => audit().record(tx, { act: 'client.created', account_id: 'usr_forged', object }));
    await records('before');
    await owner.query(`insert into audit.entry (epoch, txid, at, act, outcome, account_id, object)
                       values (1000000, 1, now(), 'client.created', 'done', 'usr_forged', 'forged')`);
    await records('after');

    const page = await eventually(async () => {
      const read = await reading.page({ account_id: 'usr_forged' });
      return read.items.length >= 3 && !read.waits ? read : undefined;
    });

    expect(page.items.flatMap(({ object }) => object ?? [])).toEqual(['before', 'after']);
    expect(page.cursor).toMatch(/^1\./);
    expect(await lastPosition(app)).toMatchObject({ epoch: 1 });
    await expect(reading.page({ after: '1000000.1.1' })).rejects.toThrow('lies behind the end of this audit');
    await owner.query(`delete from audit.entry where epoch = 1000000`);
  });

  it('knows the time of the last act, whatever time a row claims', async () => {
    const before = new Date();
    await app.query(`insert into audit.entry (at, act, outcome) values ('2199-01-01', 'client.created', 'done')`);

    expect((await timeOfLast(app))!.getTime() - before.getTime()).toBeLessThan(120_000);
  });

  it('is exported in pages that a message of the bus can carry', async () => {
    const reading = new AuditExport(app, audit());
    await app.query(
      `insert into audit.entry (at, act, outcome, account_id, details)
       select now(), 'client.created', 'done', 'usr_long', jsonb_build_object('name', repeat('x', 60000)) from generate_series(1, 200)`,
    );

    const pages = await eventually(async () => {
      const read = [await reading.page({ account_id: 'usr_long' })];
      while (read.at(-1)!.more) read.push(await reading.page({ account_id: 'usr_long', after: read.at(-1)!.cursor! }));
      return read.flatMap(({ items }) => items).length >= 200 ? read : undefined;
    });

    expect(pages.flatMap(({ items }) => items).filter(({ act }) => act === 'client.created')).toHaveLength(200);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(BUS_MESSAGE_BYTES);
  });

  it('raises the epoch by a thousand at most, whatever the bus says', async () => {
    const runner = owner.createQueryRunner();
    await runner.startTransaction();
    const { epoch } = await lastPosition(runner.manager);

    expect(await raiseEpoch(runner.manager, 2_147_483_647)).toBe(epoch + 1001);
    await runner.rollbackTransaction();
    await runner.release();
  });

  it('orders entries after a restored backup behind all that were exported before', async () => {
    const before = await lastPosition(app);
    const epoch = await raiseEpoch(owner, 41);
    await app.transaction((tx) => audit().record(tx, { act: 'restore.reconciled' }));

    expect(epoch).toBe(42);
    expect(isBehind(before, await lastPosition(app))).toBe(true);
  });

  it('has monthly partitions, created ahead and dropped after the set years, never within the last year', async () => {
    const today = new Date();
    now = monthsFrom(today, 3);
    await rotate();
    await app.transaction((tx) => audit().record(tx, { act: 'level.changed', account_id: 'usr_later', initiator: 'operator' }));
    expect(await months()).toEqual(expect.arrayContaining([3, 4, 5].map((ahead) => month(monthsFrom(today, ahead)))));
    expect(await one(app, sql`select tableoid::regclass::text as at from audit.entry where account_id = 'usr_later'`)).toEqual({
      at: `audit_month.${month(now)}`,
    });

    await owner.query(`create table audit_month.m202001 partition of audit.entry for values from ('2020-01-01') to ('2020-02-01')`);
    await app.query(`select audit_drop_months('2999-01-01')`);
    expect(await months()).not.toContain('m202001');
    expect(await months()).toContain(month(now));
    expect(await many(app, sql`select from audit.entry where account_id = 'usr_1'`)).toHaveLength(1);
    now = new Date();
  });
});

describe('an audit with rows that were forged before the app role was bounded', () => {
  let database: TestDatabase;
  let app: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate({ url: database.owner, name: 'audit', migrations: [Audit1763164800020] });
    app = await openDatabase({ url: database.app, name: 'app', pool: 2 });
  });
  afterAll(async () => {
    await app?.destroy();
    await database?.drop();
  });

  it('is exported to its end after the migration, with all that is written from then on', async () => {
    await app.query(`insert into audit.entry (txid, at, act, outcome) values (900000000000000000, 'infinity', 'client.created', 'done')`);
    await app.query(`insert into audit.entry (epoch, at, act, outcome) values (2147483647, now(), 'client.created', 'done')`);
    await migrate({ url: database.owner, name: 'audit', migrations: MIGRATIONS });
    const audit = new Audit(app, SETTINGS, { now: () => new Date() }, silentLog);
    await app.transaction((tx) => audit.record(tx, { act: 'client.created', object: 'later' }));

    const page = await eventually(async () => {
      const read = await new AuditExport(app, audit).page({ from: '2020-01-01T00:00:00.000Z' });
      return read.items.some(({ object }) => object === 'later') ? read : undefined;
    });
    expect(page.cursor).toMatch(/^2\./);
    expect(page.items.filter(({ act }) => act === 'client.created')).toHaveLength(2);
  });
});
