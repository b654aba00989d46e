import { randomBytes } from 'node:crypto';
import { execute, openDatabase, sql, type Db } from '@codase/runtime/db';
import { startPostgres, type Postgres, type PostgresOptions } from '@codase/servers';
import type { DataSource } from 'typeorm';

/** The settings that `deploy/postgres` gives its servers. `npm start` uses less, since it runs on laptops. */
export const DEPLOYED = ['shared_buffers=1GB', 'max_wal_size=4GB'];

export const benchPostgres = (options: Partial<PostgresOptions> = {}): Promise<Postgres> =>
  startPostgres({ durable: true, password: randomBytes(16).toString('hex'), ...options });

export const openBenchDatabase = (url: string, pool = 1): Promise<DataSource> => openDatabase({ url, name: 'bench', pool });

/** Runs a statement that is written behind it: run`delete from job where id = ${id}`. */
export type RunStatement = (parts: TemplateStringsArray, ...values: unknown[]) => Promise<void>;

export const statementsOn =
  (db: Db): RunStatement =>
  (parts, ...values) =>
    execute(db, sql(parts, ...values));

/** Runs statements over a connection that is opened for them alone. */
export async function onDatabase<T>(url: string, work: (run: RunStatement) => Promise<T>): Promise<T> {
  const db = await openBenchDatabase(url);
  return work(statementsOn(db)).finally(() => db.destroy());
}
