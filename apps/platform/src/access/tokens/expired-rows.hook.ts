import type { Sql } from '@codase/runtime/db';
import { hook } from '../../kit/hooks.ts';

/** A capability of the front door whose rows expire, and are deleted by the sweep that deletes expired grants. */
export interface ExpiredRows {
  /** Builds the statement that deletes at most `limit` expired rows which are not locked, and returns one row for each deleted one. */
  deleteExpired(now: Date, limit: number): Sql;
  /** Hears of the rows that the statement has returned. */
  wereDeleted?(rows: readonly unknown[]): void;
}
export const EXPIRED_ROWS = hook<ExpiredRows>('expired rows');
