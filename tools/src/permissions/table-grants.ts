import pg from 'pg';

/** What the app's role may do with tables, those with the same rights together. */
export interface TableGrants {
  tables: string;
  rights: string;
}

/** Functions that the owner lends to the app: they run with the owner's rights. */
export interface DatabaseGrants {
  tables: readonly TableGrants[];
  lent: readonly string[];
}

const GRANTS = `
  select n.nspname as schema, c.relname as name, coalesce((
      select string_agg(lower(a.privilege_type), ', ' order by array_position(array['SELECT','INSERT','UPDATE','DELETE'], a.privilege_type))
        from aclexplode(c.relacl) a where a.grantee <> c.relowner), '') as rights
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_toast'
   order by 1, 2`;

const LENT = `
  select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema') order by 1`;

/** The right that most tables have, and each that differs; tables of a schema that all differ alike are one. */
export async function grantsIn(url: string): Promise<DatabaseGrants> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string; name: string; rights: string }>(GRANTS);
    const { rows: functions } = await client.query<{ name: string }>(LENT);
    return { tables: grouped(rows), lent: functions.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}

const USUAL = 'select, insert, update, delete';

function grouped(rows: readonly { schema: string; name: string; rights: string }[]): TableGrants[] {
  const unusual = rows.filter(({ rights }) => rights !== USUAL);
  const schemas = [...new Set(unusual.map(({ schema }) => schema))];
  const differing = schemas.flatMap((schema) => {
    const own = rows.filter((row) => row.schema === schema);
    const [first] = own;
    const isAlike = own.length > 0 && own.every(({ rights }) => rights === first!.rights);
    return isAlike
      ? [{ tables: `${schema}.*`, rights: first!.rights || 'nothing' }]
      : own
          .filter(({ rights }) => rights !== USUAL)
          .map(({ name, rights }) => ({ tables: `${schema}.${name}`, rights: rights || 'nothing' }));
  });
  return [{ tables: differing.length > 0 ? 'every other table' : 'every table', rights: USUAL }, ...differing];
}
