import type Pg from 'pg';
import {
  DataSource,
  getMetadataArgsStorage,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type EntityManager,
  type Logger,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { asTransaction } from '../open-transaction.ts';
import { liveText } from '../config/read-config.ts';
import { databaseFault } from './database-fault.ts';
import { connectionTo, passwordIn, type DatabaseAddress } from './connection.ts';
import { pg } from './pg.ts';
import { BY_COMPANY, ConnectionPool, PASSWORD, PoolOnDemand } from './pool.ts';
import { isTransient } from '../resilience/is-transient.ts';
import { retryConnect } from '../resilience/retry-connect.ts';

export type Migration = new () => MigrationInterface;
/** The class of a table's rows, with TypeORM's decorators. */
export type Entity = new () => object;

/** Returns the name of an entity's table as statements write it: with its schema, unless that is the usual one. */
export function tableOf(entity: Entity): string {
  const { schema, name } = getMetadataArgsStorage().tables.find(({ target }) => target === entity)!;
  return schema === undefined ? name! : `${schema}.${name}`;
}

/** A change of the schema that cannot be undone: an older release runs on the newer schema (decision 56), without a `down`. */
export abstract class ForwardMigration implements MigrationInterface {
  abstract up(db: QueryRunner): Promise<void>;

  async down(): Promise<never> {
    throw new Error('A database is never migrated down: an earlier release runs on the newer schema.');
  }
}

export interface DatabaseOptions extends DatabaseAddress {
  /** The name of this client in pg_stat_activity. */
  name: string;
  pool?: number;
  /** How long to wait for a server that is still coming up. */
  connectSeconds?: number;
  /** The tables that repositories and query builders of this pool know. Statements of SQL need none. */
  entities?: readonly Entity[];
  migrations?: readonly Migration[];
  /** How long a statement may run, and how long it may wait for a lock. Without `lockMs`, it may wait for as long as it may run. */
  statementMs?: number;
  lockMs?: number;
  /** Whether the statements see the rows of the company whose work is under way, as `forCompany` and `forEveryCompany` say it, or none. */
  byCompany?: boolean;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * How long after the limit of a statement its answer may still arrive. The server ends a statement at its limit and says so: when nothing
 * comes, the server is gone, and the system alone would notice that after a quarter of an hour.
 */
const ANSWER_MARGIN_MS = 5_000;
/** How long a connection is silent before the system asks whether the server is still there. It gives up ten seconds later. */
const KEEP_ALIVE_MS = 10_000;

/** Opens a pool on one database. No query may run for ever, and none waits for ever for a connection. */
export function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  return retryConnect('postgres', () => dataSource(options).initialize(), { seconds: options.connectSeconds }).catch((error: unknown) => {
    throw (isTransient(error) ? undefined : databaseFault(options.url, error)) ?? error; // the system names what cannot be reached
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

/** Opens the database of a configuration. Settings given as files are read anew at each connect; the address is not. */
export const configuredDatabase = (
  config: DatabaseConfig,
  name: string,
  entities: readonly Entity[],
  { byCompany = false } = {},
): Promise<DataSource> =>
  openDatabase({
    ...configuredAddress(config),
    pool: config.DATABASE_POOL,
    connectSeconds: config.CONNECT_SECONDS,
    name,
    entities,
    byCompany,
  });

/** Opens one more pool on the database of `db`. It connects when it is used, which may be late or never. */
export async function furtherPool(
  db: DataSource,
  config: DatabaseConfig,
  { name, size, ...options }: { name: string; size: number } & Pick<DatabaseOptions, 'entities' | 'byCompany'>,
): Promise<DataSource> {
  let use!: () => void;
  class FurtherPool extends PoolOnDemand {
    constructor(options: Pg.PoolConfig) {
      super(options);
      use = () => this.use();
    }
  }
  const further = dataSource({ ...configuredAddress(config), name, pool: size, ...options }, FurtherPool);
  const { version, database, searchSchema } = db.driver as { version?: string; database?: string; searchSchema?: string };
  Object.assign(further.driver, { version, database, searchSchema }); // the driver does not query what it already knows
  await further.initialize();
  use();
  return further;
}

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

/** The same database for its owner role, which runs the migrations. */
export const configuredOwner = (config: Omit<DatabaseConfig, 'DATABASE_POOL'>): DatabaseAddress & { connectSeconds: number } => ({
  ...configuredAddress(config),
  connectSeconds: config.CONNECT_SECONDS,
});

/** TypeORM would print a migration that failed even when logging is off. The caller gets the error, and our log has no values. */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

function dataSource(options: DatabaseOptions, Pool: typeof ConnectionPool = ConnectionPool): DataSource {
  const { name, pool = 10, entities = [], migrations = [], statementMs, lockMs, byCompany = false, ...address } = options;
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
      [BY_COMPANY]: byCompany,
      statement_timeout: statementMs ?? STATEMENT_TIMEOUT_MS,
      query_timeout: answerMs(statementMs ?? STATEMENT_TIMEOUT_MS),
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...(lockMs !== undefined && { lock_timeout: lockMs }),
    },
    entities: [...entities],
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    logger: SILENT,
  });
}

/** Returns how long to wait for the answer to a statement with this limit; undefined when the statement has none. */
const answerMs = (statementMs: number): number | undefined => (statementMs === 0 ? undefined : statementMs + ANSWER_MARGIN_MS);

/** The key under which a query runner keeps how long to wait for answers. */
const ANSWER_MS = 'answerMs';

/** Lets the statements that follow run for so long: those of the transaction, or without one all of this connection. */
export async function limitStatements(runner: QueryRunner, statementMs: number): Promise<void> {
  runner.data[ANSWER_MS] = answerMs(statementMs);
  await runner.query(`select set_config('statement_timeout', $1, $2)`, [String(statementMs), runner.isTransactionActive]);
}

type Work<T> = (tx: EntityManager) => Promise<T>;

/** A data source that marks its transactions, so that requests inside of one are noticed, and sends statements directly. */
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

/** Does what the runner's own `query` does, without subscribers and a log, which cost as much as a short statement. */
const straightQuery =
  (runner: QueryRunner) =>
  async (text: string, values?: unknown[], isStructured = false): Promise<unknown> => {
    if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const client = (await runner.connect()) as Pg.ClientBase;
    const limit = runner.data[ANSWER_MS] as number | undefined;
    const { rows, rowCount, command } = await client
      .query(limit === undefined ? text : limited(text, limit), values)
      .catch((error: Error) => {
        throw new QueryFailedError(text, values, error);
      });
    const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
    return isStructured ? { records: rows, affected: rowCount, raw } : raw;
  };

/** A statement with a limit of its own. In place of a text it may be an object with a name, as `prepared` makes it. */
const limited = (statement: string | { name: string; text: string }, query_timeout: number): Pg.QueryConfig =>
  Object.assign(typeof statement === 'string' ? { text: statement } : { ...statement }, { query_timeout });

type IsolationLevel = Parameters<DataSource['transaction']>[0] & string;
