import { openDatabase } from '@codase/runtime/db';
import { testDatabase, TestDatabases, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';

describe('the compromised app role of a database', () => {
  let own: TestDatabase;
  let other: TestDatabase;
  beforeAll(async () => {
    [own, other] = await Promise.all([testDatabase(), testDatabase()]);
    const owner = await openDatabase({ url: own.owner, name: 'test', pool: 1 });
    await owner.query('create table thing (id int)');
    await owner.destroy();
  });
  afterAll(() => Promise.all([own?.drop(), other?.drop()]));

  it('cannot connect to another database', async () => {
    const url = new URL(own.app);
    url.pathname = new URL(other.app).pathname;

    await expect(openDatabase({ url: url.href, name: 'test', pool: 1, connectSeconds: 0 })).rejects.toThrow(
      'permission denied for database',
    );
  });

  it.each([
    'create table mine (id int)',
    'create schema mine',
    'create role mine',
    'create extension dblink',
    'drop table thing',
    'alter table thing add column more int',
    'truncate thing',
    'create trigger t before insert on thing for each row execute function suppress_redundant_updates_trigger()',
    'grant select on thing to public',
    'select * from pg_authid',
    `select pg_read_file('/etc/hostname')`,
    `copy thing to '/tmp/thing'`,
    `copy thing to program 'true'`,
    'alter system set log_statement = none',
    'set role postgres',
  ])('is forbidden: %s', async (statement) => {
    const db = await openDatabase({ url: own.app, name: 'test', pool: 1 });
    try {
      // A grant of a right that the role may not give is only a warning, and changes nothing.
      const outcome = await db.query(statement).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      expect(['42501', statement.startsWith('grant') ? 'done' : '42501']).toContain(outcome);
      expect(await db.query(`select has_table_privilege('public', 'thing', 'select') as may`)).toEqual([{ may: false }]);
    } finally {
      await db.destroy();
    }
  });
});

describe("the compromised delivery role of a region's database", () => {
  let databases: TestDatabases;
  let db: DataSource;
  beforeAll(async () => {
    databases = await TestDatabases.open(process.env['CODASE_TEST_POSTGRES_URL']!, ['delivery']);
    db = await openDatabase({ url: databases.urls.region_eu.delivery, name: 'test', pool: 1 });
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  it("cannot connect to the front door's database", async () => {
    const url = new URL(databases.urls.region_eu.delivery);
    url.pathname = new URL(databases.urls.front_door.app).pathname;

    await expect(openDatabase({ url: url.href, name: 'test', pool: 1, connectSeconds: 0 })).rejects.toThrow(
      'permission denied for database',
    );
  });

  it.each([
    // persons and companies
    'select * from profile',
    'select encrypted_private_key from profile',
    `update profile set public_key = ''`,
    `update profile set home = 'leaving'`,
    'delete from profile',
    'select * from contact_value',
    'select * from contact_field',
    // services
    'select private_key_pem from service',
    `update service set admin_email = 'mallory@example.com'`,
    'select * from service for key share',
    'delete from service',
    // connections and what they share
    'select * from connection',
    'delete from connection',
    'select * from shared_file',
    `update shared_value set value = ''`,
    'select source_field from shared_value',
    'select * from slot_change',
    // where events go, and what they are signed with
    `update webhook set url = 'https://mallory.example/'`,
    `update webhook set sealed_secrets = ''`,
    `update webhook set enabled = true`,
    `insert into webhook default values`,
    'delete from webhook',
    `insert into feed_event (channel) values ('x')`,
    `update feed_event set body = '{}'`,
    'select * from feed_day.other',
    'select * from feed_lease',
    // logs and audit
    'select * from service_log',
    'delete from service_log',
    `update service_log set message = ''`,
    'select * from audit.entry',
    `insert into audit.entry (at, act, outcome) values (now(), 'x', 'x')`,
    'select * from audit_month.other',
    // functions of the owner that the app may call
    `select audit_drop_months('2999-01-01')`,
    `select audit_raise_epoch(7)`,
    `select feed_drop_days('2999-01-01')`,
    `select feed_make_days('2999-01-01', '2999-01-01')`,
    `select feed_reach('x')`,
    'create table mine (id int)',
    'create temporary table mine (id int)',
    'set role template_region_app',
  ])('is forbidden: %s', async (statement) => {
    await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it("has rights only on its tables, and may call only one function with the owner's rights", async () => {
    const tables = await db.query<{ name: string }[]>(`
      select c.oid::regclass::text as name from pg_class c
       where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         and has_schema_privilege(c.relnamespace, 'usage')
         and (has_any_column_privilege(c.oid, 'select, insert, update, references')
              or has_table_privilege(c.oid, 'delete, truncate, trigger'))
       order by 1`);
    const lent = await db.query<{ name: string }[]>(
      `select proname as name from pg_proc
        where prosecdef and has_function_privilege(oid, 'execute') and has_schema_privilege(pronamespace, 'usage')`,
    );

    expect(tables.map(({ name }) => name)).toEqual([
      'feed_event',
      'lease',
      'mail',
      'mail_digest',
      'migrations',
      'profile',
      'replica',
      'request_field',
      'service',
      'service_log',
      'shared_value',
      'webhook',
    ]);
    expect(lent.map(({ name }) => name)).toEqual(['hold_services']);
  });
});
