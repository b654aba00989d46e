import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What a device has signed over a change of slots that another region has still to make. @gap D1-5 */
export class StatedSlotChanges1763164800300 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table slot_change add column statement text`);
  }
}
