import { many, openDatabase } from '@codase/runtime/db';

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
