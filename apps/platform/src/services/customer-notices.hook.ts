import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that tells the customers of a service what concerns them, in the transaction of the change. The service is locked. */
export interface CustomerNotices {
  /** It asks companies something that it did not ask them before. */
  moreIsAsked(tx: EntityManager, own: OwnService, at: Date): Promise<void>;
  /** It is deleted; its row is still there. Tells some of its customers, who are customers no longer; answers how many. */
  serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number>;
}
export const CUSTOMER_NOTICES = hook<CustomerNotices>('notices to customers');
