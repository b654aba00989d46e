import pg from 'pg';

/** What the app's role may do with tables. Tables with the same rights stand together. */
interface TableGrants {
  tables: string;
  rights: string;
}

/** The rights in one database. Functions that the owner lends run with the owner's rights. */
export interface DatabaseGrants {
  tables: readonly TableGrants[];
  lent: readonly string[];
  /** The rights of the delivery, table by table. It has a role of its own in the databases of regions. */
  delivery: readonly TableGrants[];
  lentToDelivery: readonly string[];
  /** Tables in which a connection sees the rows of the company for which it is set. */
  byCompany: readonly string[];
}

/** Selects the rights of a role on table `c`: those on the whole table, and those on some columns with the names of these columns. */
const rightsOf = (grantee: string) => `
  select string_agg(r.right, ', ' order by array_position(array['s','i','u','d'], left(r.right, 1))) from (
    select lower(a.privilege_type) as right from aclexplode(c.relacl) a where a.grantee::regrole::text ${grantee}
    union all
    select lower(a.privilege_type) || ' (' || string_agg(t.attname, ', ' order by t.attnum) || ')'
      from pg_attribute t cross join aclexplode(t.attacl) a where t.attrelid = c.oid and a.grantee::regrole::text ${grantee}
     group by a.privilege_type) r`;

const GRANTS = `
  select n.nspname as schema, c.relname as name, coalesce((${rightsOf("like '%\\_app'")}), '') as rights
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_toast'
   order by 1, 2`;

const LENT = `
  select p.proname as name,
    exists (select from pg_roles where rolname = $1 and has_function_privilege(rolname, p.oid, 'execute')) as is_for_delivery
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema') order by 1`;

const BY_COMPANY = `
  select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace order by 1`;

const OF_DELIVERY = `
  select tables, rights from (select c.relname as tables, (${rightsOf('= $1')}) as rights from pg_class c) named
   where rights is not null order by 1`;

/** Reads the rights of most tables, and of each that differs. Tables of a schema with the same rights are one entry. */
export async function grantsIn(url: string): Promise<DatabaseGrants> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string; name: string; rights: string }>(GRANTS);
    const role = decodeURIComponent(new URL(url).username).replace(/_owner$/, '_delivery');
    const { rows: functions } = await client.query<{ name: string; is_for_delivery: boolean }>(LENT, [role]);
    const { rows: delivery } = await client.query<TableGrants>(OF_DELIVERY, [role]);
    const { rows: byCompany } = await client.query<{ name: string }>(BY_COMPANY);
    const names = (of: readonly { name: string }[]) => of.map(({ name }) => name);
    return {
      tables: grouped(rows),
      lent: names(functions),
      delivery,
      byCompany: names(byCompany),
      lentToDelivery: names(functions.filter(({ is_for_delivery }) => is_for_delivery)),
    };
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
