import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** When delegates accepted, and the codes by which companies named them. Companies know the delegates whom they have. @spec D1-5.8 */
export class AcceptedDelegates1763164800240 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table delegate add column share_code text, add column accepted_at timestamptz`);
    await db.query(`update delegate set accepted_at = created_at`);
  }
}
