import type { CompanyDocument } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { DocumentRow } from './document-row.ts';
import { listSignatures } from './documents.store.ts';
import { presentDocument } from './present.ts';
import { listCopies } from './run-copies.store.ts';

/** Presents documents with their signatures, and documents of runs with the whole signing line. @spec D1-2.12 @spec D2-2.2 */
export async function presentAll(db: Db, rows: readonly DocumentRow[]): Promise<CompanyDocument[]> {
  if (rows.length === 0) return [];
  const signatures = await listSignatures(db, rows);
  const runs = [...new Set(rows.flatMap(({ run_id }) => run_id ?? []))];
  const copies = runs.length > 0 ? await listCopies(db, runs) : [];
  return rows.map((row) => presentDocument(row, signatures, copies));
}

export const presentOne = async (db: Db, row: DocumentRow): Promise<CompanyDocument> => (await presentAll(db, [row]))[0]!;
