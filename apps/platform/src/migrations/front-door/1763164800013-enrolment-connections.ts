import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * An enrolment is for one connection, and ends with it. Older enrolments have no connection, and count as they are until they are confirmed
 * again.
 */
export class EnrolmentConnections1763164800013 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table enrolment add connection_id text`);
  }
}
