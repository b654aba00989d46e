import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace in which a challenge was raised, so that its answer belongs to it. */
export class ChallengeTraces1763164800039 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table challenge add column traceparent text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table challenge drop column traceparent`);
  }
}
