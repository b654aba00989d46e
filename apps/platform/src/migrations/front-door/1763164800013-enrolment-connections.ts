import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** An enrolment is for one connection, and ends with it; those from before are taken as they are until they are confirmed again. */
export class EnrolmentConnections1763164800013 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table enrolment add connection_id text`);
  }
}
