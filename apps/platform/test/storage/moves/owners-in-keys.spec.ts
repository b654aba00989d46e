import { execute, many, migrate, openDatabase, sql, type Db } from '@codase/runtime/db';
import { MOVED_TABLES, REGION_MIGRATIONS } from '../../../src/capabilities.ts';
import { OwnersInKeys1763164800200 } from '../../../src/migrations/region/1763164800200-owners-in-keys.ts';
import type { DatabaseName } from '@codase/stack';
import { requiredVariable, testDatabase, TestDatabases, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { NAMED_WITHOUT_KEY, OTHERS_NAMED, ownerOf } from '../../support/owned-tables.ts';

const NAMES: readonly DatabaseName[] = ['front_door', 'region_eu'];

/** A table, its columns, and the one column that is its key, if it is one. */
interface Table {
  name: string;
  columns: string[];
  key: string | null;
}
interface ForeignKey {
  table: string;
  columns: string[];
  to: string;
  keys: string[];
}

describe('the references between rows that have owners', () => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'));
  });
  afterAll(() => databases?.drop());

  const inDatabase = async <T>(name: DatabaseName, read: (db: Db) => Promise<T>): Promise<T> => {
    const db = await openDatabase({ url: databases.urls[name].owner, name: 'owners-in-keys', pool: 1 });
    try {
      return await read(db);
    } finally {
      await db.destroy();
    }
  };

  it.each(NAMES)('carry the owner in every foreign key: %s', async (name) => {
    const { withoutOwner } = await inDatabase(name, referencesIn);

    expect(withoutOwner).toEqual(Object.keys(OTHERS_NAMED[name]!).toSorted());
  });

  it.each(NAMES)('are foreign keys, or are checked when a company arrives, or have a reason: %s', async (name) => {
    const { withoutKey } = await inDatabase(name, referencesIn);

    const checked = MOVED_TABLES.all.flatMap(({ table, names = {} }) => Object.keys(names).map((column) => `${table}.${column}`));
    const found = name === 'front_door' ? withoutKey : withoutKey.filter((column) => !checked.includes(column));
    expect(found).toEqual(Object.keys(NAMED_WITHOUT_KEY[name]!).toSorted());
  });

  it('are noticed in a new table', async () => {
    const before = await inDatabase('region_eu', referencesIn);
    const after = await inDatabase('region_eu', async (db) => {
      await execute(db)`
        create table newest (
          newest_id text primary key, company_user_id text references profile, service_id text references service, connection_id text)`;
      return referencesIn(db);
    });

    expect(after.withoutOwner.filter((one) => !before.withoutOwner.includes(one))).toEqual(['newest (service_id)']);
    expect(after.withoutKey.filter((one) => !before.withoutKey.includes(one))).toEqual(['newest.connection_id']);
  });
});

describe('the migration that puts owners into references', () => {
  let database: TestDatabase;
  let db: DataSource;
  beforeEach(async () => {
    database = await testDatabase();
    await migrate({
      url: database.owner,
      name: 'test',
      migrations: REGION_MIGRATIONS.slice(0, REGION_MIGRATIONS.indexOf(OwnersInKeys1763164800200)),
    });
    db = await openDatabase({ url: database.owner, name: 'test', pool: 2 });
    for (const company of ['acme', 'bolt']) {
      await execute(db)`
        insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
        values (${company}, 'company', ${company}, 'en', ${company}, 'key', now())`;
      await execute(db)`
        insert into service (service_id, company_user_id, name, share_code, public_key, created_at, admin_email)
        values (${`${company}_service`}, ${company}, 'Shop', 'SHOP', 'key', now(), '')`;
    }
    await addEntry('acme', 'acme_service');
  });
  afterEach(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const addEntry = (company: string, service_id: string) => execute(db)`
    insert into service_log (log_id, company_user_id, service_id, at, kind, message)
    values (${`${company} on ${service_id}`}, ${company}, ${service_id}, now(), 'webhook', 'delivered')`;
  const migrates = () => migrate({ url: database.owner, name: 'test', migrations: REGION_MIGRATIONS });
  const isDone = async () => {
    const { withoutOwner } = await referencesIn(db);
    return {
      withoutOwner,
      left: await many(db)`select conname from pg_constraint where conname like '%_owner' or not convalidated and contype = 'f'`,
    };
  };
  const DONE = { withoutOwner: Object.keys(OTHERS_NAMED['region_eu']!).toSorted(), left: [] };

  it.each([2, 5, 11, 60, 110])('goes on after it was cut off at statement %i', async (nth) => {
    const runner = db.createQueryRunner();
    let sent = 0;
    const cut = new Proxy(runner, {
      get: (target, member) =>
        member !== 'query'
          ? (Reflect.get(target, member) as unknown)
          : (...given: Parameters<typeof runner.query>) => {
              sent += 1;
              return sent < nth || given[0] === 'ROLLBACK' ? runner.query(...given) : Promise.reject(new Error('cut off'));
            },
    });
    await expect(new OwnersInKeys1763164800200().up(cut)).rejects.toThrow('cut off');
    await runner.release();

    await migrates();

    expect(await isDone()).toEqual(DONE);
    await expect(addEntry('bolt', 'acme_service')).rejects.toMatchObject({ code: '23503' });
    await addEntry('bolt', 'bolt_service');
    expect(await many(db)`select company_user_id from service_log order by 1`).toEqual([
      { company_user_id: 'acme' },
      { company_user_id: 'bolt' },
    ]);
  });

  it('fails while a row names a service of another company, says in which table, and goes on without that row', async () => {
    await addEntry('bolt', 'acme_service');

    await expect(migrates()).rejects.toThrow('service_log_service_id_fkey_owner');
    await execute(db)`delete from service_log where company_user_id = 'bolt'`;
    await migrates();

    expect(await isDone()).toEqual(DONE);
  });
});

/** Returns the foreign keys between owned tables that leave out the owner, and the columns that are called like a key and have none. */
async function referencesIn(db: Db): Promise<{ withoutOwner: string[]; withoutKey: string[] }> {
  const [tables, keys] = await Promise.all([tablesIn(db), foreignKeysIn(db)]);
  const owners = new Map(tables.map(({ name, columns }) => [name, ownerOf(name, columns)]));
  const ids = new Set(
    tables.flatMap(({ name, key }) => (key !== null && owners.get(name) !== undefined && key !== owners.get(name) ? [key] : [])),
  );
  const isReferenced = (table: string, column: string) => keys.some((key) => key.table === table && key.columns.includes(column));
  return {
    withoutOwner: keys
      .filter(({ table, columns, to, keys: named }) => {
        const [owner, ownerThere] = [owners.get(table), owners.get(to)];
        return owner !== undefined && ownerThere !== undefined && named[columns.indexOf(owner)] !== ownerThere;
      })
      .map(({ table, columns }) => `${table} (${columns.join(', ')})`)
      .toSorted(),
    withoutKey: tables
      .filter(({ name }) => owners.get(name) !== undefined)
      .flatMap(({ name, columns, key }) =>
        columns
          .filter((column) => ids.has(column) && column !== key && column !== owners.get(name) && !isReferenced(name, column))
          .map((column) => `${name}.${column}`),
      )
      .toSorted(),
  };
}

const tablesIn = (db: Db) =>
  many<Table>(
    db,
    sql`
    select c.relname as name,
           (select json_agg(attname order by attnum) from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
           (select a.attname from pg_constraint p join pg_attribute a on a.attrelid = c.oid and a.attnum = p.conkey[1]
             where p.conrelid = c.oid and p.contype = 'p' and cardinality(p.conkey) = 1) as key
      from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname <> 'migrations'`,
  );

const foreignKeysIn = (db: Db) =>
  many<ForeignKey>(
    db,
    sql`
    select conrelid::regclass::text as "table", confrelid::regclass::text as "to",
           (select json_agg(a.attname order by k.nth) from unnest(conkey) with ordinality k(attnum, nth)
              join pg_attribute a on a.attrelid = conrelid and a.attnum = k.attnum) as columns,
           (select json_agg(a.attname order by k.nth) from unnest(confkey) with ordinality k(attnum, nth)
              join pg_attribute a on a.attrelid = confrelid and a.attnum = k.attnum) as keys
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
  );
