import { many, one, openDatabase, sql, type Db, type DatabaseAddress } from '@codase/runtime/db';

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** A summary of what a database holds, with which a copy of it is checked. */
export interface Contents {
  /** The migrations that have run, in their order: the version of its schema. */
  migrations: string[];
  rows: Record<string, number>;
}

/** Connects to a database as its owner, does the work, and closes the connection. */
export async function withDatabaseOf<T>(owner: DatabaseAddress, work: (db: OpenDatabase) => Promise<T>): Promise<T> {
  const db = await openDatabase({ ...owner, name: 'codase-databases', pool: 2, connectSeconds: 1, statementMs: 0 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Tables that hold rows themselves or in their partitions, in every schema. */
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

/** Returns the names of the migrations that have run, in their order. Empty when none has ever run. */
export async function migrationsOf(db: Db): Promise<string[]> {
  const { exists } = (await one<{ exists: boolean }>(db, sql`select to_regclass('public.migrations') is not null as exists`))!;
  if (!exists) return [];
  return (await many<{ name: string }>(db, sql`select name from migrations order by id`)).map(({ name }) => name);
}

export async function serverVersionOf(db: Db): Promise<{ version: string; major: number }> {
  const { version } = (await one<{ version: string }>(db, sql`select current_setting('server_version') as version`))!;
  return { version, major: Number.parseInt(version, 10) };
}

/** Whether nothing was created in the database: no table, view, sequence, function or type. */
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

/** Describes in one sentence what differs. Undefined when nothing does. */
export function difference(wanted: Contents, found: Contents): string | undefined {
  const tables = new Set([...Object.keys(wanted.rows), ...Object.keys(found.rows)]);
  const other = [...tables].filter((table) => wanted.rows[table] !== found.rows[table]);
  if (other.length === 0) return undefined;
  const shown = other.slice(0, 5).map((table) => `${table} has ${found.rows[table] ?? 'no'} rows for ${wanted.rows[table] ?? 'no'}`);
  return `${shown.join(', ')}${other.length > shown.length ? ', and others' : ''}`;
}
