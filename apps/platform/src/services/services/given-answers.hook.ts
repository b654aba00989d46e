import type { EntityManager } from 'typeorm';
import { requirement } from '../../kit/hooks.ts';
import type { Withdrawn } from './publication.ts';

/**
 * A capability that stores answers to requests, and adapts them when a request is published again. Both methods are called in the
 * transaction of the publication.
 */
export interface GivenAnswers {
  /** Removes answers that are no longer asked for, and emits an event for each that was live. The service is locked. @spec D1-6.1 */
  withdraw(tx: EntityManager, rows: readonly Withdrawn[], at: Date): Promise<void>;
  /** Turns the live answers to some rows into one-time answers, which stay as they are. The service is locked. @gap D1-2.6 */
  settle(tx: EntityManager, service_field_ids: readonly string[], at: Date): Promise<void>;
}
export const GIVEN_ANSWERS = requirement<GivenAnswers>('given answers');
