import type { Manifest } from './manifests.ts';
import { capabilityOf, isTest } from './relative.ts';
import { COMPUTED_TABLES } from './rules.ts';
import type { TableUse } from './statements.ts';

/** Whether the SQL of a file is checked: not in migrations, which create all tables, nor in tests, which may look into all. */
export const hasCheckedSql = (file: string) =>
  file.startsWith('apps/platform/src/') && !file.startsWith('apps/platform/src/migrations/') && !isTest(file);

interface SqlOf {
  file: string;
  /** The tables that the file's SQL names; empty when its SQL is not checked. */
  tables: readonly TableUse[];
}

/** Returns a sentence for each table of another capability that a file of the platform names in SQL without the right to. */
export function foreignTables({ file, tables }: SqlOf, manifests: readonly Manifest[]): string[] {
  const own = capabilityOf(file);
  const sentences = tables.flatMap((use) => {
    const why = refusesTable(file, own, use, manifests);
    return why === undefined
      ? []
      : [`${file} ${use.writes ? 'changes' : 'reads'} ${use.table ?? 'a table'} by a statement of its own, but ${why}.`];
  });
  return [...new Set(sentences)];
}

function refusesTable(
  file: string,
  own: string | undefined,
  { table, writes }: TableUse,
  manifests: readonly Manifest[],
): string | undefined {
  if (table === undefined) return file in COMPUTED_TABLES ? undefined : 'only a written name can be checked';
  const owner = manifests.find(({ tables }) => tables.includes(table))?.capability;
  if (owner === undefined || owner === own) return undefined;
  const mayRead = manifests.find(({ capability }) => capability === own)?.reads.includes(table);
  if (mayRead && !writes) return undefined;
  return mayRead ? `${owner} owns it, and who declares to read it may not change it` : `${owner} owns it: call a function of its store`;
}

/** Returns a sentence for each table with two owners, and for each declared read of a table that no other capability owns. */
export function ownersOf(manifests: readonly Manifest[]): string[] {
  const owners = (table: string) => manifests.filter(({ tables }) => tables.includes(table)).map(({ capability }) => capability);
  const all = new Set(manifests.flatMap(({ tables }) => tables));
  const twice = [...all].filter((table) => owners(table).length > 1);
  return [
    ...twice.map((table) => `${owners(table).join(' and ')} both own the table ${table}: one of them does.`),
    ...manifests.flatMap(({ capability, reads }) =>
      reads
        .filter((table) => !owners(table).some((owner) => owner !== capability))
        .map((table) => `${capability} declares to read ${table}, which no other capability owns.`),
    ),
  ];
}

/** Returns a sentence for each declared read that no statement needs any more. */
export function staleReads(sources: readonly SqlOf[], manifests: readonly Manifest[]): string[] {
  return manifests.flatMap(({ capability, reads }) => {
    const own = reads.length === 0 ? [] : sources.filter(({ file }) => capabilityOf(file) === capability);
    const read = new Set(own.flatMap(({ tables }) => tables.map(({ table }) => table)));
    return reads
      .filter((table) => !read.has(table))
      .map((table) => `${capability} declares to read ${table}, and no statement of it does: take it off the manifest.`);
  });
}
