import type Pg from 'pg';
import {
  DataSource,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type EntityManager,
  type EntitySchema,
  type Logger,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { liveText } from '../config/read-config.ts';
import { databaseFault } from './database-fault.ts';
import { connectionTo, passwordIn, type DatabaseAddress } from './connection.ts';
import { pg } from './pg.ts';
import { ConnectionPool, PASSWORD, PoolOnDemand } from './pool.ts';
import { isTransient } from '../resilience/is-transient.ts';
import { retryConnect } from '../resilience/retry-connect.ts';

export type Migration = new () => MigrationInterface;

/**
 * A change of the schema, which goes forward alone: a release that is rolled back runs on the newer schema (decision 56), and what nobody
 * ever runs would be wrong when somebody needs it.
 */
export abstract class ForwardMigration implements MigrationInterface {
  abstract up(db: QueryRunner): Promise<void>;

  async down(): Promise<never> {
    throw new Error('A database is never migrated down: an earlier release runs on the newer schema.');
  }
}

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

/**
 * One more pool, on a database that `db` is connected to. It opens its first connection when it is used: most services are done with
 * their start, and many with their day, before they use it.
 */
export async function furtherPool(db: DataSource, config: DatabaseConfig, name: string, pool: number): Promise<DataSource> {
  const further = dataSource({ ...configuredAddress(config), name, pool }, PoolOnDemand);
  const { version, database, searchSchema } = driverOf(db);
  Object.assign(driverOf(further), { version, database, searchSchema }); // what is known is not asked for
  await further.initialize();
  (driverOf(further).master as PoolOnDemand).use();
  return further;
}

/** What TypeORM's driver of Postgres knows of its database, and its pool. */
interface PostgresDriver {
  version?: string;
  database?: string;
  searchSchema?: string;
  master: unknown;
}
const driverOf = ({ driver }: DataSource) => driver as unknown as PostgresDriver;

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

function dataSource(options: DatabaseOptions, Pool: typeof ConnectionPool = ConnectionPool): DataSource {
  const { name, pool = 10, entities = [], migrations = [], statementMs, lockMs, ...address } = options;
  const { url, ssl, password } = connectionTo(address);
  return new WatchedDataSource({
    type: 'postgres',
    driver: { ...pg, Pool },
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

/** A data source whose transactions ask no other process, and whose statements go to the driver without a detour. */
class WatchedDataSource extends DataSource {
  override createQueryRunner(...args: Parameters<DataSource['createQueryRunner']>): QueryRunner {
    const runner = super.createQueryRunner(...args);
    return Object.assign(runner, { query: straightQuery(runner) });
  }

  override transaction<T>(...args: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [level, work] = args.length === 1 ? [undefined, args[0]] : args;
    const watched: Work<T> = (tx) => asTransaction(() => work(tx));
    return level === undefined ? super.transaction(watched) : super.transaction(level, watched);
  }
}

/** As the runner's own, without subscribers and logs of statements: we have none, and they cost as much as a short statement. */
const straightQuery =
  (runner: QueryRunner) =>
  async (text: string, values?: unknown[], isStructured = false): Promise<unknown> => {
    if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const client = (await runner.connect()) as Pg.ClientBase;
    const { rows, rowCount, command } = await client.query(text, values).catch((error: Error) => {
      throw new QueryFailedError(text, values, error);
    });
    const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
    return isStructured ? { records: rows, affected: rowCount, raw } : raw;
  };

type IsolationLevel = Parameters<DataSource['transaction']>[0] & string;
