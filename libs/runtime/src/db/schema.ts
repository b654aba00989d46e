import type { DataSource } from 'typeorm';
import { many, sql } from './sql.ts';
import type { Migration } from './database.ts';

/** The codes of Postgres for a table that does not exist, and for one that the owner has not granted to this role yet. */
const NOT_MIGRATED = ['42P01', '42501'];

const OLDER = 'older than this program: run migrate of this release';

/** A readiness check: every migration that is known here has run. A newer schema is fine, as while a release is rolled back. */
export const schemaIsCurrent =
  (db: DataSource, migrations: readonly Migration[]) => async (): Promise<string | { note: string } | null> => {
    const ran = await namesOf(db);
    if (migrations.some(({ name }) => !ran.has(name))) return OLDER;
    return ran.size > migrations.length ? { note: 'newer than this program' } : null;
  };

async function namesOf(db: DataSource): Promise<ReadonlySet<string>> {
  try {
    const rows = await many<{ name: string }>(db, sql`select name from migrations`);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (NOT_MIGRATED.includes((error as { code?: string }).code ?? '')) return new Set();
    throw error;
  }
}
