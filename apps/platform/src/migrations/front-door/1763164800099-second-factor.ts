import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The second factor of accounts, their backup codes, and sign-ins that wait for a code. @gap D1-5.8 */
export class SecondFactor1763164800099 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // enabled_at: null while a new authenticator waits for its first code, until expires_at.
    // last_step: the newest step whose code was accepted. A code of this step or an older one is refused.
    await db.query(`
      create table second_factor (
        user_id         text primary key references account on delete cascade,
        factor_id       text not null unique,
        sealed_secrets  text not null,
        enabled_at      timestamptz,
        expires_at      timestamptz,
        last_step       bigint not null default 0,
        check ((enabled_at is null) <> (expires_at is null))
      )`);
    await db.query(`create index second_factor_waiting on second_factor (expires_at) where expires_at is not null`);
    await db.query(`
      create table backup_code (
        factor_id  text not null references second_factor (factor_id) on delete cascade,
        code_hash  text not null,
        primary key (factor_id, code_hash)
      )`);
    await db.query(`
      create table sign_in_step (
        step_hash      text primary key,
        user_id        text not null references account on delete cascade,
        password_hash  text not null,
        request_hash   text not null,
        created_at     timestamptz not null,
        expires_at     timestamptz not null
      )`);
    await db.query(`create index sign_in_step_of_user on sign_in_step (user_id, created_at)`);
    await db.query(`create index sign_in_step_age on sign_in_step (expires_at)`);
  }
}
