import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that tells the customers of a service what concerns them, in the transaction of the change. The service is locked. */
export interface CustomerNotices {
  /** It asks companies something that it did not ask them before. */
  moreIsAsked(tx: EntityManager, own: OwnService, at: Date): Promise<void>;
  /** It is deleted; its row is still there. */
  serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<void>;
}
export const CUSTOMER_NOTICES = hook<CustomerNotices>('notices to customers');
