import type { DataSource, QueryRunner } from 'typeorm';
import { retry } from '../resilience/retry.ts';
import { RUNTIME_METRICS } from '../telemetry/metrics.ts';
import { openDatabase, type DatabaseOptions } from './database.ts';

/** One key for all: migrations of one database never run twice at once, however many replicas start. */
const LOCK = 0x434453;

/** How long migrations may take; they are no requests, whose limits would end them half-way through a large table. */
export interface MigrationLimits {
  /** Of one statement. */
  statementMs: number;
  /**
   * For a lock on a table. It is short, because everybody else queues behind a migration that waits for a lock: it gives way and tries
   * again later, as often as `lockAttempts` says.
   */
  lockMs: number;
  lockAttempts: number;
  /** For another replica that migrates the same database. */
  turnMs: number;
}

const USUAL: MigrationLimits = { statementMs: 30 * 60_000, lockMs: 5000, lockAttempts: 20, turnMs: 60 * 60_000 };
const BACKOFF = { firstMs: 500, longestMs: 10_000, jitter: 0.5 };

/** Brings a database to the newest shape, as its owner. Answers the names of the migrations it ran. */
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

/** Whoever comes second waits until the first is done, and then finds nothing left to do. The lock goes with the connection, too. */
async function inTurn<T>(db: DataSource, turnMs: number, work: () => Promise<T>): Promise<T> {
  const session = db.createQueryRunner();
  try {
    await takeTurn(session, turnMs);
    return await work();
  } finally {
    await session.release();
  }
}

/** The limits of the migrations themselves do not hold for this wait. */
async function takeTurn(session: QueryRunner, turnMs: number): Promise<void> {
  await session.query(`select set_config('lock_timeout', '0', false), set_config('statement_timeout', $1, false)`, [String(turnMs)]);
  await session.query('select pg_advisory_lock($1)', [LOCK]);
}

/** Postgres: lock_not_available. */
const isLockTimeout = (error: unknown) => (error as { code?: string }).code === '55P03';
