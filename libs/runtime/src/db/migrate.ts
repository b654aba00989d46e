import { openDatabase, type DatabaseOptions } from './database.ts';

/** One key for all: migrations of one database never run twice at once, however many replicas start. */
const LOCK = 0x434453;

/** Brings a database to the newest shape, as its owner. Answers the names of the migrations it ran. */
export async function migrate(options: DatabaseOptions): Promise<string[]> {
  const db = await openDatabase({ ...options, pool: 2 });
  const lock = db.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [LOCK]);
    const ran = await db.runMigrations();
    return ran.map(({ name }) => name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [LOCK]);
    await lock.release();
    await db.destroy();
  }
}
