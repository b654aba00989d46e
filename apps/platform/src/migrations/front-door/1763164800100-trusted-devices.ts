import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Browsers that are not asked for a code, and the phones of persons. @gap D1-5.8 */
export class TrustedDevices1763164800100 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // A browser is trusted for one second factor: it goes with it.
    await db.query(`
      create table trusted_browser (
        device_id     text primary key,
        user_id       text not null references account on delete cascade,
        factor_id     text not null references second_factor (factor_id) on delete cascade,
        token_hash    text not null unique,
        name          text not null,
        created_at    timestamptz not null,
        last_seen_at  timestamptz not null,
        expires_at    timestamptz not null
      )`);
    await db.query(`create index trusted_browser_of_user on trusted_browser (user_id, created_at)`);
    await db.query(`create index trusted_browser_of_factor on trusted_browser (factor_id)`);
    await db.query(`create index trusted_browser_age on trusted_browser (expires_at)`);
    // A phone is the session that it signed in with: it goes with it.
    await db.query(`
      create table phone (
        device_id   text primary key,
        user_id     text not null references account on delete cascade,
        session_id  text not null unique references session on delete cascade,
        name        text not null,
        created_at  timestamptz not null
      )`);
    await db.query(`create index phone_of_user on phone (user_id)`);
  }
}
