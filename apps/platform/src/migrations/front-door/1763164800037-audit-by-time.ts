import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What was done in the last hour is read at each start. Rows come in the order of their time, so a few pages index all of them. */
export class AuditByTime1763164800037 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index entry_by_time on audit.entry using brin (at)`);
  }
}
