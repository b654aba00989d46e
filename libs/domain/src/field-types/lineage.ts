import type { FieldTypeRow } from './row.ts';

/** The rows by their type. */
export type RowTable = ReadonlyMap<string, FieldTypeRow>;

/** Returns the rows by their type. If several rows have the same type, it keeps the last one. */
export const tableOf = (rows: readonly FieldTypeRow[]): RowTable => new Map(rows.map((row) => [row.type, row]));

/** Returns the row and its ancestors, root first and the row last. It stops at a parent that is unknown or was already visited. */
export function lineageOf(table: RowTable, row: FieldTypeRow): readonly FieldTypeRow[] {
  const upwards = new Set<FieldTypeRow>();
  for (let next: FieldTypeRow | undefined = row; next && !upwards.has(next); next = parentOf(table, next)) upwards.add(next);
  return [...upwards].toReversed();
}

/** Returns the parent's row. Undefined for a root, and when the parent is unknown. */
export const parentOf = (table: RowTable, { parent }: FieldTypeRow): FieldTypeRow | undefined =>
  parent === null ? undefined : table.get(parent);

type Inherited = 'input' | 'lane' | 'check' | 'options' | 'fields';

/** Returns the column of the nearest row of the lineage that sets it. Null when none does. @spec D1-2.5 */
export const inherited = <C extends Inherited>(lineage: readonly FieldTypeRow[], column: C): FieldTypeRow[C] | null =>
  lineage.findLast((row) => row[column] !== null)?.[column] ?? null;
