import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The trace in which a challenge was raised, so that the answer to it belongs to the same trace. */
export class ChallengeTraces1763164800039 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table challenge add column traceparent text`);
  }
}
