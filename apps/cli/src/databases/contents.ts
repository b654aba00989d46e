import { many, one, openDatabase, sql, type Db, type DatabaseAddress } from '@cds/runtime/db';

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** What a database holds, by which a copy of it is checked. */
export interface Contents {
  /** The migrations that have run, in their order: the version of its schema. */
  migrations: string[];
  /** By table. */
  rows: Record<string, number>;
}

/** Works on a database as its owner, and leaves it. */
export async function withDatabaseOf<T>(owner: DatabaseAddress, work: (db: OpenDatabase) => Promise<T>): Promise<T> {
  const db = await openDatabase({ ...owner, name: 'cds-databases', pool: 2, connectSeconds: 1, statementMs: 0 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Tables that hold rows of their own or by their partitions, in every schema. */
const TABLES = sql`
  select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
   where relkind in ('r', 'p') and not relispartition and nspname <> 'information_schema' and nspname not like 'pg\_%'
   order by 1`;

export async function contentsOf(db: Db): Promise<Contents> {
  const rows: Record<string, number> = {};
  for (const { name } of await many<{ name: string }>(db, TABLES)) {
    const counted = await one<{ count: string }>(db, { text: `select count(*) from ${name}`, values: [] });
    rows[name] = Number(counted!.count);
  }
  return { migrations: await migrationsOf(db), rows };
}

/** None where none has ever run. */
export async function migrationsOf(db: Db): Promise<string[]> {
  const { exists } = (await one<{ exists: boolean }>(db, sql`select to_regclass('public.migrations') is not null as exists`))!;
  if (!exists) return [];
  return (await many<{ name: string }>(db, sql`select name from migrations order by id`)).map(({ name }) => name);
}

export async function serverVersionOf(db: Db): Promise<{ version: string; major: number }> {
  const { version } = (await one<{ version: string }>(db, sql`select current_setting('server_version') as version`))!;
  return { version, major: Number.parseInt(version, 10) };
}

/** Whatever somebody made: tables, views, sequences, functions, types. */
export async function isEmpty(db: Db): Promise<boolean> {
  const found = await one(
    db,
    sql`
    select from pg_namespace n
     where n.nspname <> 'information_schema' and n.nspname not like 'pg\_%' and (
       n.nspname <> 'public'
       or exists (select from pg_class where relnamespace = n.oid) or exists (select from pg_proc where pronamespace = n.oid))
     limit 1`,
  );
  return found === undefined;
}

/** In one sentence what differs; undefined where nothing does. */
export function difference(wanted: Contents, found: Contents): string | undefined {
  const tables = new Set([...Object.keys(wanted.rows), ...Object.keys(found.rows)]);
  const other = [...tables].filter((table) => wanted.rows[table] !== found.rows[table]);
  if (other.length === 0) return undefined;
  const shown = other.slice(0, 5).map((table) => `${table} has ${found.rows[table] ?? 'no'} rows for ${wanted.rows[table] ?? 'no'}`);
  return `${shown.join(', ')}${other.length > shown.length ? ', and others' : ''}`;
}
