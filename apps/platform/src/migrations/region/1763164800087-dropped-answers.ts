import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The moment of the last change by which the customer of a connection took answers back, by the clock of the home region. By this moment a
 * request that comes twice is recognised. Null when nothing was taken back, or an earlier release did it.
 */
export class DroppedAnswers1763164800087 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table connection add column dropped_as_of timestamptz`);
  }
}
