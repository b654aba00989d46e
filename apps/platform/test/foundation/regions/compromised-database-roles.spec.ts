import { openDatabase } from '@codase/runtime/db';
import { DATABASES, STOLEN_ROLES, type DatabaseName } from '@codase/stack';
import { testDatabase, TestDatabases, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';

/** The roles of the list of stolen roles that services have. */
const ROLES = STOLEN_ROLES.flatMap(({ databaseRoles = [] }) => databaseRoles).filter((role) => !role.endsWith('_owner'));
const OWNERS = STOLEN_ROLES.flatMap(({ databaseRoles = [] }) => databaseRoles).filter((role) => role.endsWith('_owner'));
/** The functions that run with the rights of the owner, and that a role may call. */
const LENT: Readonly<Record<string, readonly string[]>> = {
  front_door_app: ['audit_drop_months', 'audit_make_months'],
  region_eu_app: ['audit_drop_months', 'audit_make_months', 'feed_drop_days', 'feed_make_days', 'feed_reach', 'hold_services'],
  region_us_app: ['audit_drop_months', 'audit_make_months', 'feed_drop_days', 'feed_make_days', 'feed_reach', 'hold_services'],
  region_eu_delivery: ['hold_services'],
  region_us_delivery: ['hold_services'],
};

/** What nobody but the owner may do to a table. */
const TO_A_TABLE = (table: string): readonly string[] => [
  `drop table ${table}`,
  `truncate ${table}`,
  `alter table ${table} add column mallory int`,
  `alter table ${table} disable trigger all`,
  `alter table ${table} owner to current_user`,
  `create index mallory on ${table} ((1))`,
  `create trigger mallory before insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
  `create rule mallory as on insert to ${table} do instead nothing`,
  `copy ${table} to '/tmp/mallory'`,
  `copy ${table} from program 'true'`,
];
/** What changes rows. A table that has columns of other names refuses the statement for the right before it looks for the column. */
const TO_ROWS = (table: string): readonly string[] => [`delete from ${table}`, `insert into ${table} default values`];
/** What reaches beyond the database, or makes something new in it. */
const TO_THE_SERVER: readonly string[] = [
  'create table mine (id int)',
  'create temporary table mine (id int)',
  'create schema mine',
  'create role mine',
  'create extension dblink',
  'create function mine() returns int language sql return 1',
  'create publication mine for all tables',
  'alter role current_user superuser',
  'alter role current_user createrole',
  'set role postgres',
  'set session authorization postgres',
  'set session_replication_role = replica',
  'select * from pg_authid',
  'select * from pg_user_mapping',
  'select * from pg_hba_file_rules',
  `select pg_read_file('/etc/hostname')`,
  `select pg_ls_dir('.')`,
  `select lo_import('/etc/hostname')`,
  `select pg_reload_conf()`,
  `select pg_switch_wal()`,
  `select pg_create_restore_point('mine')`,
  `select pg_stat_reset()`,
  `select pg_log_backend_memory_contexts(pg_backend_pid())`,
  `copy (select 1) to program 'true'`,
];

const REFUSED = ['42501', '0A000'];

describe('the compromised role of a database', () => {
  let databases: TestDatabases;
  let other: TestDatabase;
  beforeAll(async () => {
    [databases, other] = await Promise.all([TestDatabases.open(process.env['CODASE_TEST_POSTGRES_URL']!), testDatabase()]);
  });
  afterAll(() => Promise.all([databases?.drop(), other?.drop()]));

  /** The address of a database for a role of the list. */
  const urlOf = (role: string): string => {
    const [, database, kind] = /^(.*)_(\w+)$/.exec(role)!;
    return (databases.urls[database as DatabaseName] as Record<string, string>)[kind!]!;
  };
  const connects = (url: string) => openDatabase({ url, name: 'test', pool: 1, connectSeconds: 0 });

  it.each([...ROLES, ...OWNERS])('%s connects to no other database of the server', async (role) => {
    const own = new URL(urlOf(role));
    const kind = (database: string) => database.replace(/^region_.*/, 'region');
    const others = DATABASES.filter((database) => kind(database) !== kind(role.replace(/_[a-z]+$/, ''))).map(
      (name) => databases.urls[name].owner,
    );
    const names = [...others, other.app].map((url) => new URL(url).pathname);

    for (const name of [...names, '/postgres', '/template1']) {
      const url = Object.assign(new URL(own), { pathname: name });
      await expect(connects(url.href).then((db) => db.destroy())).rejects.toThrow('permission denied for database');
    }
  });

  describe.each(ROLES)('%s', (role) => {
    let db: DataSource;
    let tables: string[];
    beforeAll(async () => {
      db = await connects(urlOf(role));
      const owner = await connects(urlOf(role.replace(/_[a-z]+$/, '_owner')));
      tables = (await owner.query<{ name: string }[]>(TABLES)).map(({ name }) => name);
      await owner.destroy();
    });
    afterAll(() => db?.destroy());

    /** Returns those statements that are not refused for want of a right. */
    const allowed = async (statements: readonly string[]) => {
      const outcomes: (readonly [string, string])[] = [];
      for (const statement of statements) {
        const done = db.query(`begin; ${statement}`).then(
          () => 'done',
          (error: { code?: string }) => error.code ?? 'unknown',
        );
        outcomes.push([statement, await done]);
        await db.query('rollback');
      }
      return outcomes.filter(([, outcome]) => !REFUSED.includes(outcome));
    };

    it('changes no table, index, trigger or right', async () => {
      expect(tables.length).toBeGreaterThan(1);
      expect(await allowed(tables.flatMap(TO_A_TABLE))).toEqual([]);
    });

    it('makes nothing, and reaches nothing of the server', async () => {
      expect(await allowed(TO_THE_SERVER)).toEqual([]);
      for (const outside of ['create database mine', 'alter system set log_statement = none'])
        await expect(db.query(outside)).rejects.toMatchObject({ code: '42501' });
    });

    it('calls no function with the rights of the owner but those that are lent to it', async () => {
      const functions = await db.query<{ name: string; call: string; may: boolean }[]>(FUNCTIONS);

      expect(functions.flatMap(({ name, may }) => (may ? [name] : []))).toEqual(LENT[role] ?? []);
      expect(await allowed(functions.flatMap(({ may, call }) => (may ? [] : [call])))).toEqual([]);
    });

    it('gives its rights to nobody', async () => {
      for (const table of tables) await db.query(`grant all on ${table} to public`).catch(() => undefined);

      expect(await db.query(GIVEN_TO_ALL)).toEqual([]);
    });
  });

  it.each(ROLES.filter((role) => role.endsWith('_delivery')))('%s changes rows of no table that is not listed', async (role) => {
    const [db, owner] = [await connects(urlOf(role)), await connects(urlOf(role.replace('_delivery', '_owner')))];
    try {
      const listed = [/^feed_event$/, /^lease$/, /^mail$/, /^mail_digest$/, /^replica$/, /^service_log$/];
      const tables = (await owner.query<{ name: string }[]>(TABLES)).filter(({ name }) => !listed.some((pattern) => pattern.test(name)));
      for (const { name } of tables) {
        for (const statement of TO_ROWS(name)) await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
      expect(tables.length).toBeGreaterThan(50);
    } finally {
      await Promise.all([db.destroy(), owner.destroy()]);
    }
  });

  it.each(ROLES.filter((role) => /^(front_door|region_\w+)_app$/.test(role)))(
    '%s changes and deletes no row of the audit',
    async (role) => {
      const db = await connects(urlOf(role));
      try {
        const entries = ['audit.entry', ...(await db.query<{ name: string }[]>(MONTHS)).map(({ name }) => name)];
        const columns = ['epoch', 'txid', 'seq', 'written_at'];
        const statements = entries.flatMap((table) => [
          `delete from ${table}`,
          `update ${table} set outcome = 'done'`,
          ...columns.map((column) => `insert into ${table} (act, ${column}) values ('x', default)`),
        ]);
        for (const statement of [
          ...statements,
          ...['audit.log_leaf', 'audit.epoch'].flatMap((table) => [`delete from ${table}`, `update ${table} set epoch = 1`]),
        ])
          await expect(db.query(statement)).rejects.toMatchObject({ code: '42501' });
        expect(entries.length).toBeGreaterThan(1);
      } finally {
        await db.destroy();
      }
    },
  );
});

const TABLES = `
  select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_' order by 1`;
const MONTHS = `
  select c.oid::regclass::text as name from pg_class c
   where c.relnamespace = to_regnamespace('audit_month') and c.relkind = 'r' order by 1`;
/** The tables that a role may read which was given no right of its own. */
const GIVEN_TO_ALL = `
  select oid::regclass::text as name from pg_class
   where has_table_privilege('pg_monitor', oid, 'select') and relnamespace = 'public'::regnamespace`;
/** The functions of the owner that run with its rights, each with a call that fits it. */
const FUNCTIONS = `
  select p.proname as name, has_function_privilege(p.oid, 'execute') as may,
         format('select %s(%s)', p.oid::regproc, (select string_agg('null::' || format_type(t, null), ', ' order by nth)
           from unnest(p.proargtypes) with ordinality as given(t, nth))) as call
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prosecdef and p.prorettype <> 'trigger'::regtype and n.nspname not in ('pg_catalog', 'information_schema') order by 1`;

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
