import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log of services has an end: what is too old is found by its age. */
export class ServiceLogAge1763164800022 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index service_log_by_age on service_log (at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index service_log_by_age`);
  }
}
