import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { USED_PROOF_TABLE } from '../used-proof-table.ts';

/** Proofs that came with calls, so that each is used once. @gap D1-5.4 */
export class UsedProofs1763164800261 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(USED_PROOF_TABLE);
  }
}
