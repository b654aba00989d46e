import type { Sql } from '@cds/runtime/db';
import { hook } from '../hooks.ts';

/** A capability of the front door whose rows expire, and are deleted by the sweep that deletes expired grants. */
export interface ExpiredRows {
  /** Deletes at most so many rows that nobody holds, and returns one for each. */
  deleteExpired(now: Date, limit: number): Sql;
}
export const EXPIRED_ROWS = hook<ExpiredRows>('expired rows');
