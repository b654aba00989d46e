import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OwnService, ServiceRow } from './service-row.ts';

/** What this region and the front door do to a service one after the other, and when a worker takes the transition over. */
type Transition = { due_at: Date } & (
  | { transition: 'deleting' }
  | { transition: 'creating_client' | 'withdrawing_client'; client_id: string }
);

/** Locks a service, also one that is being deleted; undefined when it does not exist any more. */
export const lockInTransition = (tx: EntityManager, { company_user_id, service_id }: OwnService) => one<ServiceRow>(tx)`
  select * from service where service_id = ${service_id} and company_user_id = ${company_user_id} for update`;

/** The caller has locked the service. */
export const setTransition = (tx: EntityManager, { service_id }: OwnService, next: Transition) => execute(tx)`
  update service
     set transition = ${next.transition}, transition_due_at = ${next.due_at},
         transition_client_id = ${next.transition === 'deleting' ? null : next.client_id}
   where service_id = ${service_id}`;

/** Notes that services were deleted, and returns those that were not noted before. The worker finishes the deletions. */
export const noteDeletions = (tx: EntityManager, service_ids: readonly string[], due_at: Date) => many<OwnService>(tx)`
  update service set transition = 'deleting', transition_due_at = ${due_at}, transition_client_id = null
   where service_id = any(${service_ids}::text[]) and transition is distinct from 'deleting'
  returning company_user_id, service_id`;

/** The caller has locked the service. */
export const clearTransition = (tx: EntityManager, { service_id }: OwnService) => execute(tx)`
  update service set transition = null, transition_due_at = null, transition_client_id = null where service_id = ${service_id}`;

/** Returns services whose transition was not finished in time, the most overdue first. */
export const listOverdueTransitions = (db: Db, now: Date, limit: number) => many<OwnService>(db)`
  select company_user_id, service_id from service
   where transition is not null and transition_due_at <= ${now}
   order by transition_due_at
   limit ${limit}`;
