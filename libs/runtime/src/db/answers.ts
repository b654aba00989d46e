import type { DataSource } from 'typeorm';
import { one, sql } from './sql.ts';

/** A readiness check: the database answers. */
export const databaseAnswers = (db: DataSource) => async (): Promise<string | null> =>
  (await one(db, sql`select 1 as up`)) ? null : 'no answer';
