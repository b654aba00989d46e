import type { FieldTypeRow } from './row.ts';

/** The rows by their type. */
export type RowTable = ReadonlyMap<string, FieldTypeRow>;

/** The rows by their type; of rows that share a type the last one stays. */
export const tableOf = (rows: readonly FieldTypeRow[]): RowTable => new Map(rows.map((row) => [row.type, row]));

/** The row and its ancestors, root first, itself last. Ends where a parent is unknown or comes round again. */
export function lineageOf(table: RowTable, row: FieldTypeRow): readonly FieldTypeRow[] {
  const upwards = new Set<FieldTypeRow>();
  for (let next: FieldTypeRow | undefined = row; next && !upwards.has(next); next = parentOf(table, next)) upwards.add(next);
  return [...upwards].toReversed();
}

/** The row above; undefined at a root, and where the parent is unknown. */
export const parentOf = (table: RowTable, { parent }: FieldTypeRow): FieldTypeRow | undefined =>
  parent === null ? undefined : table.get(parent);

type Inherited = 'input' | 'lane' | 'check' | 'options' | 'fields';

/** What the nearest row of the lineage says that says anything. @spec D1-2.5 */
export const inherited = <C extends Inherited>(lineage: readonly FieldTypeRow[], column: C): FieldTypeRow[C] | null =>
  lineage.findLast((row) => row[column] !== null)?.[column] ?? null;
