import type { Db } from '@cds/runtime/db';
import { hook } from '../hooks.ts';

/** Rows that wait for an act that takes them. */
export interface Abandoned {
  /** Longer than an act may take. */
  readonly keptMs: number;
  /** Removes some that have waited since then. Answers how many. */
  removeAbandoned(db: Db, before: Date, most: number): Promise<number>;
}
export const ABANDONED = hook<Abandoned>('rows that no act took');
