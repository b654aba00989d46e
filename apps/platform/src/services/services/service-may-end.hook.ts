import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that stores things because of which a service must not be deleted. @spec D1-4.2 */
export interface ServiceMayEnd {
  /**
   * Refuses the deletion if there is such a thing. Called in the transaction that would note that the service is being deleted. The service
   * is locked.
   */
  checkServiceMayEnd(tx: EntityManager, own: OwnService): Promise<void>;
}
export const SERVICE_MAY_END = hook<ServiceMayEnd>('may a service end');
