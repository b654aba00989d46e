import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An enrolment is for one connection, and ends with it; those from before are taken as they are until they are confirmed again. */
export class EnrolmentConnections1763164800013 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table enrolment add connection_id text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table enrolment drop connection_id`);
  }
}
