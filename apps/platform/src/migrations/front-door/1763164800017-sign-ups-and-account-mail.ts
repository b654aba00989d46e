import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Sign-ups that wait for their address to be confirmed, and mail that the front door has to send. An account row is added only when its
 * address is confirmed; the addresses of older accounts count as confirmed. @gap D1-5
 */
export class SignUpsAndAccountMail1763164800017 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table pending_sign_up (
        sign_up_id     text primary key,
        email          text not null,
        code_hash      text not null,
        password_hash  text not null,
        wanted         jsonb not null,
        failures       integer not null default 0,
        created_at     timestamptz not null,
        expires_at     timestamptz not null
      )`);
    await db.query(`create index pending_sign_up_of_email on pending_sign_up (email, created_at)`);
    await db.query(`create index pending_sign_up_expiry on pending_sign_up (expires_at)`);
    await db.query(`
      create table account_mail (
        mail_id   text primary key,
        recipient   text not null,
        kind        text not null,
        facts       jsonb not null,
        created_at  timestamptz not null,
        expires_at  timestamptz not null,
        attempts    integer not null default 0,
        next_at     timestamptz not null,
        held_until  timestamptz not null default '-infinity'
      )`);
    await db.query(`create index account_mail_due on account_mail (next_at)`);
    await db.query(`create index account_mail_expiry on account_mail (expires_at)`);
  }
}
