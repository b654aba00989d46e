import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * When the customer last changed an answer, by the clock of the customer's home region: null where it is not known. The other region may
 * hear of two changes in another order than they were made in.
 */
export class SlotMoments1763164800009 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table shared_value add column as_of timestamptz`);
  }
}
