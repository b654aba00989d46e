import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Requests to change the e-mail address of an account. @gap D1-5.8 */
export class EmailChanges1763164800093 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // code_hash: null when the code counts no more. Rows stay for a while afterwards, so that mails are counted.
    // mail_id: null when the address got too many mails.
    await db.query(`
      create table email_change (
        number      bigint generated always as identity primary key,
        user_id     text not null references account on delete cascade,
        email       text not null,
        code_hash   text,
        failures    integer not null default 0,
        mail_id     text,
        created_at  timestamptz not null,
        expires_at  timestamptz not null
      )`);
    await db.query(`create index email_change_of_user on email_change (user_id, number)`);
    await db.query(`create index email_change_of_email on email_change (email, created_at)`);
    await db.query(`create index email_change_age on email_change (created_at)`);
  }
}
