import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Raised with every change of a client's secrets, so that a database that comes back is seen to be older. @gap D1-4.6 */
export class SecretVersions1763164800027 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table client add secret_version int not null default 0`);
  }
}
