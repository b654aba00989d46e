import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Indexes of open runs. Their condition is written so that the planner uses them only for statements with the same condition. Before, the
 * planner took them for shorter than the index for lists by status, and read all open runs of the region for such a list.
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
