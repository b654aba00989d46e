import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The time when the customer last changed an answer, by the clock of the customer's home region; null when it is not known. The region of
 * the company may receive two changes in another order than they were made in.
 */
export class SlotMoments1763164800009 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table shared_value add column as_of timestamptz`);
  }
}
