import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** An index by which entries of the logs of services that are too old are found. */
export class ServiceLogAge1763164800022 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index service_log_by_age on service_log (at)`);
  }
}
