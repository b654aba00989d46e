import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The entries of the last hour are read at each start. Rows are written in the order of their time, so a few pages of a BRIN index cover
 * all of them.
 */
export class AuditByTime1763164800037 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index entry_by_time on audit.entry using brin (at)`);
  }
}
