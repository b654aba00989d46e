import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The devices of persons, by the keys that their sessions are bound to. @gap D1-5 */
export class Devices1763164800262 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table device (
        device_id     text primary key,
        user_id       text not null references account on delete cascade,
        jkt           text not null,
        public_jwk    jsonb not null,
        name          text not null,
        created_at    timestamptz not null,
        last_used_at  timestamptz not null,
        removed_at    timestamptz,
        unique (user_id, jkt)
      )`);
    await db.query(`create index device_age on device (last_used_at)`);
    await db.query(`create index session_of_device on session (user_id, jkt) where jkt is not null`);
  }
}
