import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { Withdrawn } from './publication.ts';

/** A capability that keeps answers to requests, and follows when a request is published anew. Both are called in that transaction. */
export interface GivenAnswers {
  /** Removes answers that are asked for no more, and emits an event for each that was live. The service is locked. @spec D1-6.1 */
  withdraw(tx: EntityManager, rows: readonly Withdrawn[], at: Date): Promise<void>;
  /** Lets the live answers to some rows stay as they are, as if they had been given once. The service is locked. @gap D1-2.6 */
  settle(tx: EntityManager, service_field_ids: readonly string[], at: Date): Promise<void>;
}
export const GIVEN_ANSWERS = hook<GivenAnswers>('given answers');
