import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Runs whose documents the company has generated. @spec D2-4.3 */
export class GeneratingRuns1763164800003 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table run
        drop constraint run_state_check,
        add constraint run_state_check
          check (state in ('watched', 'open', 'taken', 'answered', 'generating', 'parked', 'ended')),
        add constraint run_generating_check
          check ((state = 'generating') <= (node is not null and opened_at is not null and flow_id is not null))`);
  }
}
