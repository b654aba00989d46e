import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { USED_PROOF_TABLE } from '../used-proof-table.ts';

/** Tokens that are bound to the key of a device or a client. @gap D1-5.4 */
export class BoundTokens1763164800260 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table client add column dpop_bound_access_tokens boolean not null default false`);
    await db.query(`alter table session add column jkt text`);
    await db.query(USED_PROOF_TABLE);
  }
}
