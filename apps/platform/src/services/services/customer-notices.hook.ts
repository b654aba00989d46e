import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that tells the customers of a service what concerns them, in the transaction of the change. The service is locked. */
export interface CustomerNotices {
  /** The service asks companies for something that it did not ask them for before. */
  moreIsRequired(tx: EntityManager, own: OwnService, at: Date): Promise<void>;
  /**
   * The service is being deleted, and its row is still there. Ends some of what customers have with it, and returns how many; called again
   * until it returns 0.
   */
  serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number>;
}
export const CUSTOMER_NOTICES = hook<CustomerNotices>('notices to customers');
