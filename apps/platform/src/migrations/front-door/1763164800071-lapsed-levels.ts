import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The times since which an account has a level without contract flows, or the free level. The data of its runs is kept for a limited time
 * from then on. @spec D2-8
 */
export class LapsedLevels1763164800071 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table account add without_flows_since timestamptz, add free_since timestamptz`);
    await db.query(`create index account_lapsed on account (region, user_id) where without_flows_since is not null`);
  }
}
