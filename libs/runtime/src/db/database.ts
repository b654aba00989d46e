import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';

export type Migration = new () => MigrationInterface;

export interface DatabaseOptions {
  url: string;
  password?: string | undefined;
  /** Who connects, as pg_stat_activity shows it. */
  name: string;
  pool?: number;
  entities?: readonly EntitySchema[];
  migrations?: readonly Migration[];
}

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** A pool on one database. No query may run for ever, and none waits for ever for a connection. */
export function openDatabase({ url, password, name, pool = 10, entities = [], migrations = [] }: DatabaseOptions): Promise<DataSource> {
  return new DataSource({
    type: 'postgres',
    url,
    ...(password !== undefined && { password }),
    applicationName: name,
    poolSize: pool,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { statement_timeout: STATEMENT_TIMEOUT_MS, idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS },
    entities: [...entities],
    migrations: [...migrations],
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  }).initialize();
}
