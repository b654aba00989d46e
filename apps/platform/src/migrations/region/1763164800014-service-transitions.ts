import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * A transition is what a region and the front door do to a service one after the other. It is noted on the service before it begins, so
 * that a transition which a crash interrupted is noticed and finished. @spec D1-5.8
 */
export class ServiceTransitions1763164800014 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table service
        add transition            text check (transition in ('creating_client', 'withdrawing_client', 'deleting')),
        add transition_client_id  text,
        add transition_due_at     timestamptz,
        add check ((transition is null) = (transition_due_at is null)),
        add check ((transition_client_id is not null) = (coalesce(transition, '') in ('creating_client', 'withdrawing_client')))`);
    await db.query(`create index service_in_transition on service (transition_due_at) where transition is not null`);
  }
}
