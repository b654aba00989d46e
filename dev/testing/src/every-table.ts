import pg from 'pg';

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
