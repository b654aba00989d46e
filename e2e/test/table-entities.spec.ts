import { many, openDatabase, sql, tableOf } from '@codase/runtime/db';
import { schemaKindOf, schemaOf, type DatabaseName } from '@codase/stack';
import { everyTable, requiredVariable, TestDatabases } from '@codase/testing';

type DataSource = Awaited<ReturnType<typeof openDatabase>>;
type EntityMetadata = DataSource['entityMetadatas'][number];

const NAMES: readonly DatabaseName[] = ['front_door', 'region_eu', 'feed_consumer', 'flows', 'twofa'];

/** What the catalog of a database and the metadata of an entity both say of a column. */
interface Column {
  name: string;
  type: string;
  nullable: boolean;
  default: string | null;
  identity: '' | 'ALWAYS' | 'BY DEFAULT';
}

/** What both say of a table. The columns are in order of their names, because a migration adds columns at the end. */
interface Table {
  columns: Column[];
  primary_key: string[];
  unique: string[][];
}

describe('the entities of every database', () => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'));
  });
  afterAll(() => databases?.drop());

  it.each(NAMES)('say of each table what the migrations made of it, and of no other: %s', async (name) => {
    const { entities } = await schemaOf(schemaKindOf(name));
    const db = await openDatabase({ url: databases.urls[name].owner, name: 'table-entities', pool: 1, entities });
    try {
      expect(entities.map(tableOf).toSorted()).toEqual(await everyTable(databases.urls[name].owner));

      expect(declaredBy(db)).toEqual(withDemandedKeys(await migratedIn(db)));
    } finally {
      await db.destroy();
    }
  });
});

/** TypeORM demands a primary key. The table of the one row that says how often a database was restored has none. */
const withDemandedKeys = (tables: Record<string, Table>): Record<string, Table> =>
  'audit.epoch' in tables ? { ...tables, 'audit.epoch': { ...tables['audit.epoch']!, primary_key: ['epoch'] } } : tables;

const declaredBy = (db: DataSource): Record<string, Table> =>
  Object.fromEntries(db.entityMetadatas.map((entity) => [tableOf(entity.target as new () => object), declared(db, entity)]));

function declared({ driver }: DataSource, { columns, uniques }: EntityMetadata): Table {
  return {
    columns: columns
      .map((column) => ({
        name: column.databaseName,
        type: driver.normalizeType(column) + (column.isArray ? '[]' : ''),
        nullable: column.isNullable,
        default: driver.normalizeDefault(column)?.replace(/^'(-?\d+)'$/, '$1') ?? null,
        identity: column.isGenerated ? column.generatedIdentity! : ('' as const),
      }))
      .toSorted(byName),
    primary_key: columns.filter(({ isPrimary }) => isPrimary).map(({ databaseName }) => databaseName),
    unique: sorted(uniques.map((unique) => unique.columns.map(({ databaseName }) => databaseName))),
  };
}

async function migratedIn(db: DataSource): Promise<Record<string, Table>> {
  const rows = await many<{ table: string } & Table>(
    db,
    sql`
    with keys as (
      select conrelid, contype, conname,
             (select json_agg(a.attname order by k.nth) from unnest(conkey) with ordinality k(attnum, nth)
                join pg_attribute a on a.attrelid = conrelid and a.attnum = k.attnum) as keys
        from pg_constraint where contype in ('p', 'u'))
    select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as "table",
           (select json_agg(json_build_object(
                     'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
                     'default', pg_get_expr(d.adbin, d.adrelid),
                     'identity', case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' else '' end))
              from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           coalesce((select keys from keys k where k.conrelid = c.oid and k.contype = 'p'), '[]') as primary_key,
           coalesce((select json_agg(keys) from keys k where k.conrelid = c.oid and k.contype = 'u'), '[]') as "unique"
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'audit') and c.relname <> 'migrations'`,
  );
  return Object.fromEntries(
    rows.map(({ table, columns, primary_key, unique }) => [
      table,
      {
        columns: columns.map((column) => ({ ...column, default: withoutType(column.default) })).toSorted(byName),
        primary_key,
        unique: sorted(unique),
      },
    ]),
  );
}

/** Postgres adds the type to a default that is a literal. TypeORM leaves it out. */
const withoutType = (given: string | null) => given?.replace(/^('(?:[^']|'')*')::[a-z ]+(\[\])?$/, '$1') ?? null;
const byName = (one: Column, other: Column) => (one.name < other.name ? -1 : 1);
const sorted = (keys: string[][]) => keys.toSorted((one, other) => (String(one) < String(other) ? -1 : 1));
