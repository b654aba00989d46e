import type { DataSource, QueryRunner } from 'typeorm';
import { retry } from '../resilience/retry.ts';
import { RUNTIME_METRICS } from '../telemetry/metrics.ts';
import { limitStatements, openDatabase, type DatabaseOptions } from './database.ts';

/** The key of the lock: migrations of one database never run twice at once, however many replicas start. */
const LOCK = 0x434453;

/** How long migrations may take. The limits of requests do not fit: they would end a migration half-way through a large table. */
interface MigrationLimits {
  /** How long one statement may run. */
  statementMs: number;
  /**
   * How long to wait for a lock on a table. It is short, because all other statements queue behind a migration that waits for a lock: the
   * migration gives way and tries again later, as often as `lockAttempts` says.
   */
  lockMs: number;
  lockAttempts: number;
  /** How long to wait for another replica that migrates the same database. */
  turnMs: number;
}

const USUAL: MigrationLimits = { statementMs: 30 * 60_000, lockMs: 5000, lockAttempts: 20, turnMs: 60 * 60_000 };
const BACKOFF = { firstMs: 500, longestMs: 10_000, jitter: 0.5 };

/** Brings a database to the newest schema, as its owner. Returns the names of the migrations that it ran. */
export async function migrate(options: DatabaseOptions, limits: Partial<MigrationLimits> = {}): Promise<string[]> {
  const { statementMs, lockMs, lockAttempts, turnMs } = { ...USUAL, ...limits };
  const db = await openDatabase({ ...options, pool: 2, statementMs, lockMs });
  try {
    const bound = { attempts: lockAttempts };
    const attempt = () =>
      retry(() => runMigrations(db), { backoff: BACKOFF, bound, metric: RUNTIME_METRICS.migrationsRetried, isWorth: isLockTimeout });
    return await inTurn(db, turnMs, attempt);
  } finally {
    await db.destroy();
  }
}

async function runMigrations(db: DataSource): Promise<string[]> {
  const ran = await db.runMigrations();
  return ran.map(({ name }) => name);
}

/** Does the work while no other replica does: a second one waits, and then finds nothing to do. A lost connection unlocks. */
async function inTurn<T>(db: DataSource, turnMs: number, work: () => Promise<T>): Promise<T> {
  const session = db.createQueryRunner();
  try {
    await takeTurn(session, turnMs);
    return await work();
  } finally {
    await session.release();
  }
}

/** Takes the lock. The limits of the migrations do not hold for this wait. */
async function takeTurn(session: QueryRunner, turnMs: number): Promise<void> {
  await session.query(`select set_config('lock_timeout', '0', false)`);
  await limitStatements(session, turnMs);
  await session.query('select pg_advisory_lock($1)', [LOCK]);
}

/** Postgres: lock_not_available. */
const isLockTimeout = (error: unknown) => (error as { code?: string }).code === '55P03';
