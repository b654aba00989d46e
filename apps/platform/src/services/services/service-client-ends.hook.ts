import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that stores what the data client of a service has begun. */
export interface ServiceClientEnds {
  /** Called in the transaction that notes that the service is being deleted, or that its client was deleted. The service is locked. */
  serviceClientEnds(tx: EntityManager, own: OwnService): Promise<void>;
}
export const SERVICE_CLIENT_ENDS = hook<ServiceClientEnds>('a service or its client ends');
