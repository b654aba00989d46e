import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Codes that confirm the deletion of an account, and the deletions with the regions that have not made them yet. @gap D1-5.8 */
export class AccountDeletions1763164800035 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table deletion_code (
        user_id      text primary key references account on delete cascade,
        code_hash    text not null,
        failures     integer not null default 0,
        mails        integer not null,
        mails_since  timestamptz not null,
        expires_at   timestamptz not null
      )`);
    await db.query(`create index deletion_code_expiry on deletion_code (expires_at)`);
    // A deletion outlives its account, and has only its id. regions_left: the regions that have not deleted the account yet; null means all
    // that are configured.
    await db.query(`
      create table account_deletion (
        user_id       text primary key,
        deleted_at    timestamptz not null,
        regions_left  text[],
        attempts      integer not null default 0,
        next_at       timestamptz not null
      )`);
    await db.query(
      `create index account_deletion_due on account_deletion (next_at) where regions_left is null or cardinality(regions_left) > 0`,
    );
  }
}
