import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Indexes of open runs, written so that only who asks in the same words reads them: by what a list of a status asks the planner took them
 * for shorter than the list's own index, and read all open runs of the region.
 */
export class OpenRuns1763164800083 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    for (const [index, column] of [
      ['flow_run_open', 'status'],
      ['flow_run_pinned', 'definition_id'],
    ]) {
      await db.query(`drop index ${index}`);
      await db.query(`create index ${index} on flow_run (${column}) where (status in ('completed', 'cancelled')) is false`);
    }
  }
}
