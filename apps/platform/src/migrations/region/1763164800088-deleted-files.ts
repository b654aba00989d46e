import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Whether the file of an expired answer was deleted, so that the sweep does not look at the answer again. Null for files that are still
 * stored or that an earlier release deleted; the sweep marks the latter too.
 */
export class DeletedFiles1763164800088 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table shared_value add column file_deleted boolean`);
    await db.query(`
      create index shared_value_to_sweep on shared_value (expires_at) where expires_at is not null and file_deleted is null`);
  }
}
