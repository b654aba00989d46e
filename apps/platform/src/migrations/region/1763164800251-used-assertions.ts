import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The assertions that clients have used at this region, until they expire. @gap D1-5.2 */
export class UsedAssertions1763164800251 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table used_assertion (
        client_id  text not null,
        jti_hash   text not null,
        expires_at timestamptz not null,
        primary key (client_id, jti_hash)
      )`);
    await db.query(`create index used_assertion_expires on used_assertion (expires_at)`);
  }
}
