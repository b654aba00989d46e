import type { Db } from '@codase/runtime/db';
import { hook } from '../../kit/hooks.ts';

/** One kind of rows that wait for an act that takes them. */
export interface Abandoned {
  /** How long a row waits before it counts as abandoned: longer than an act may take. */
  readonly keptMs: number;
  /** Removes at most `most` rows that have waited since before `before`. Returns how many. */
  removeAbandoned(db: Db, before: Date, most: number): Promise<number>;
}
export const ABANDONED = hook<Abandoned>('rows that no act took');
