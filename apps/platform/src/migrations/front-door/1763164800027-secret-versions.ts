import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The version of a client's secrets, raised with every change of them, so that a restored older database is recognised. @gap D1-4.6 */
export class SecretVersions1763164800027 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table client add secret_version int not null default 0`);
  }
}
