import type { DataSource } from 'typeorm';
import type { Log } from '../telemetry/index.ts';
import { databaseFault } from './database-fault.ts';
import { one, sql } from './sql.ts';

/** A readiness check: the database answers. When it does not, the check and the log say what to mend; the log says each reason once. */
export function databaseAnswers(db: DataSource, log: Log): () => Promise<string | null> {
  let said: string | null = null;
  return async () => {
    const fault = await one(db, sql`select 1 as up`).then(
      () => undefined,
      (error: unknown) => databaseFault(urlOf(db), error) ?? Promise.reject(error),
    );
    if (fault && fault.message !== said) log.error('the database cannot be used: tried again until it can', { error: fault });
    said = fault?.message ?? null;
    return said;
  };
}

/** The URL that the driver has, which holds no password. */
const urlOf = ({ options }: DataSource): string => (options as { url: string }).url;
