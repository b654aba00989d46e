import { createRequire } from 'node:module';
import type Pg from 'pg';
import { DataSource, type EntityManager, type EntitySchema, type Logger, type MigrationInterface } from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { connectionTo, type DatabaseAddress } from './connection.ts';
import { retryConnect } from '../resilience/retry-connect.ts';

export type Migration = new () => MigrationInterface;

export interface DatabaseOptions extends DatabaseAddress {
  /** Who connects, as pg_stat_activity shows it. */
  name: string;
  pool?: number;
  /** How long to wait for a server that is still coming up. */
  connectSeconds?: number;
  entities?: readonly EntitySchema[];
  migrations?: readonly Migration[];
  /** How long a statement may run, and how long it may wait for a lock; without the latter as long as it may run. */
  statementMs?: number;
  lockMs?: number;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A pool on one database. No query may run for ever, and none waits for ever for a connection. */
export function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  return retryConnect('postgres', () => dataSource(options).initialize(), { seconds: options.connectSeconds });
}

interface DatabaseConfig {
  DATABASE_URL: string;
  DATABASE_PASSWORD?: string | undefined;
  DATABASE_CA?: string | undefined;
  DATABASE_CERT?: string | undefined;
  DATABASE_KEY?: string | undefined;
  DATABASE_POOL: number;
  CONNECT_SECONDS: number;
}

/** The database an app's configuration names. */
export const configuredDatabase = (config: DatabaseConfig, name: string): Promise<DataSource> => {
  const { DATABASE_URL: url, DATABASE_PASSWORD: password, DATABASE_CA: ca, DATABASE_CERT: cert, DATABASE_KEY: key } = config;
  return openDatabase({ url, password, ca, cert, key, pool: config.DATABASE_POOL, connectSeconds: config.CONNECT_SECONDS, name });
};

/**
 * TypeORM prints a migration that failed even where logging is off, also one that only gives way to a lock. Whoever asked gets the error,
 * and our own log has no statements and no values in it.
 */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

const dataSource = ({ name, pool = 10, entities = [], migrations = [], statementMs, lockMs, ...address }: DatabaseOptions) =>
  new WatchedDataSource({
    type: 'postgres',
    driver: { ...pg, Pool: SteadyPool },
    ...connectionTo(address),
    applicationName: name,
    poolSize: pool,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      statement_timeout: statementMs ?? STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      ...(lockMs !== undefined && { lock_timeout: lockMs }),
    },
    entities: [...entities],
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    synchronize: false,
    logger: SILENT,
  });

type Work<T> = (tx: EntityManager) => Promise<T>;

/** A data source whose transactions ask no other process. */
class WatchedDataSource extends DataSource {
  override transaction<T>(...args: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [level, work] = args.length === 1 ? [undefined, args[0]] : args;
    const watched: Work<T> = (tx) => asTransaction(() => work(tx));
    return level === undefined ? super.transaction(watched) : super.transaction(level, watched);
  }
}

type IsolationLevel = Parameters<DataSource['transaction']>[0] & string;

/** Required, not imported: the tracing hook sees what is required. */
const pg = createRequire(import.meta.url)('pg') as typeof Pg;

/**
 * A connection that breaks says so twice: to the query that was running, which fails, and by an event that ends the
 * process where nobody listens. The query's failure is the one that counts.
 */
class SteadyPool extends pg.Pool {
  constructor(options: Pg.PoolConfig) {
    super(options);
    this.on('connect', (client) => client.on('error', () => undefined));
  }
}
