import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The public keys of clients, and the assertions that they have used at the front door, until they expire. @gap D1-5.2 */
export class ClientKeys1763164800252 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table client
        add column keys jsonb not null default '[]',
        add column requires_key boolean not null default false`);
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
