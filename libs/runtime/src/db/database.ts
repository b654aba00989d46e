import { DataSource, type EntityManager, type EntitySchema, type Logger, type MigrationInterface } from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { liveText } from '../config/read-config.ts';
import { databaseFault } from './database-fault.ts';
import { connectionTo, passwordIn, type DatabaseAddress } from './connection.ts';
import { ConnectionPool, PASSWORD, pg } from './pool.ts';
import { isTransient } from '../resilience/is-transient.ts';
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
  return retryConnect('postgres', () => dataSource(options).initialize(), { seconds: options.connectSeconds }).catch((error: unknown) => {
    throw (isTransient(error) ? undefined : databaseFault(options.url, error)) ?? error; // what cannot be reached, the system names
  });
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

/** The database an app's configuration names. What was given by file is read anew at each connect; the address itself is not. */
export const configuredDatabase = (config: DatabaseConfig, name: string, pool = config.DATABASE_POOL): Promise<DataSource> =>
  openDatabase({ ...configuredAddress(config), pool, connectSeconds: config.CONNECT_SECONDS, name });

export function configuredAddress(config: Omit<DatabaseConfig, 'DATABASE_POOL' | 'CONNECT_SECONDS'>): DatabaseAddress {
  const [url, password] = [liveText(config, 'DATABASE_URL'), liveText(config, 'DATABASE_PASSWORD')];
  return {
    url: config.DATABASE_URL,
    password: () => password() ?? passwordIn(url()!),
    ca: config.DATABASE_CA && liveText(config, 'DATABASE_CA'),
    cert: config.DATABASE_CERT && liveText(config, 'DATABASE_CERT'),
    key: config.DATABASE_KEY && liveText(config, 'DATABASE_KEY'),
  };
}

/** The same as its owner, who migrates it. */
export const configuredOwner = (config: Omit<DatabaseConfig, 'DATABASE_POOL'>): DatabaseAddress & { connectSeconds: number } => ({
  ...configuredAddress(config),
  connectSeconds: config.CONNECT_SECONDS,
});

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

function dataSource({ name, pool = 10, entities = [], migrations = [], statementMs, lockMs, ...address }: DatabaseOptions): DataSource {
  const { url, ssl, password } = connectionTo(address);
  return new WatchedDataSource({
    type: 'postgres',
    driver: { ...pg, Pool: ConnectionPool },
    url,
    ssl,
    applicationName: name,
    poolSize: pool,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      [PASSWORD]: password,
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
}

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
