import pg from 'pg';
import { many, openDatabase } from '@codase/runtime/db';

/** Returns the names of all tables of a database. Partitions count as the table they belong to. */
export async function everyTable(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(`
      select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition
         and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
         and c.relname <> 'migrations'
       order by 1`);
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Returns every column of every row of every table as text, for tests that search a database. */
export async function everyRow(databaseUrl: string): Promise<string> {
  const db = await openDatabase({ url: databaseUrl, name: 'every-row', pool: 1 });
  try {
    const tables = await many<{ name: string }>(db, {
      text: `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'audit')`,
      values: [],
    });
    const rows: string[] = [];
    for (const { name } of tables)
      rows.push(...(await many<{ row: string }>(db, { text: `select t::text as row from ${name} t`, values: [] })).map(({ row }) => row));
    return rows.join('\n');
  } finally {
    await db.destroy();
  }
}
