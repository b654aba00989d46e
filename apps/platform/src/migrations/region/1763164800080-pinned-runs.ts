import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Whether open runs are pinned to a version: asked before a plugin of it is deleted. */
export class PinnedRuns1763164800080 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index flow_run_pinned on flow_run (definition_id) where status not in ('completed', 'cancelled')`);
  }
}
