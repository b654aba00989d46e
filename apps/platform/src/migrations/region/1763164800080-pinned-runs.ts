import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** An index that finds the open runs pinned to a version. The platform looks for them before it deletes a plugin of the version. */
export class PinnedRuns1763164800080 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index flow_run_pinned on flow_run (definition_id) where status not in ('completed', 'cancelled')`);
  }
}
