import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Failed password attempts, and the addresses from which accounts have signed in. @gap D1-8 */
export class PasswordAttempts1763164800016 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // account_key: the hash of the e-mail address that was typed, so that an account which does not exist is counted alike. source: a known
    // network address, or `strangers`.
    await db.query(`
      create table password_failures (
        account_key  text not null,
        source       text not null,
        failures     integer not null,
        last_at      timestamptz not null,
        next_at      timestamptz not null,
        primary key (account_key, source)
      )`);
    await db.query(`create index password_failures_age on password_failures (last_at)`);
    await db.query(`
      create table sign_in_address (
        account_key  text not null,
        address      text not null,
        last_at      timestamptz not null,
        primary key (account_key, address)
      )`);
    await db.query(`create index sign_in_address_age on sign_in_address (last_at)`);
  }
}
