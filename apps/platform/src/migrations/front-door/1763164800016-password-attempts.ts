import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Failures to give a password, and the addresses that signed in. @gap D1-8 */
export class PasswordAttempts1763164800016 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // An account by the hash of the address one signs in with, so that one that does not exist is counted alike. The source is an address
    // that is known, or `strangers`.
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
