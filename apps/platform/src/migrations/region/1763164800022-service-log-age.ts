import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The log of services has an end: what is too old is found by its age. */
export class ServiceLogAge1763164800022 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index service_log_by_age on service_log (at)`);
  }
}
