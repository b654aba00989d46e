import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * An admin e-mail is confirmed with a code that was mailed to it. Older addresses are not confirmed, since nobody was ever asked to confirm
 * them. Mails with codes are counted per day. @gap D1-2.4
 */
export class ConfirmedAdminEmails1763164800025 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table service
        add column admin_email_confirmed_at   timestamptz,
        add column admin_email_code_hash      text,
        add column admin_email_code_ends_at   timestamptz,
        add column admin_email_code_failures  integer not null default 0`);
    await db.query(`alter table mail alter column webhook_id drop not null`);
    await db.query(`
      create table mail_quota (
        day      date not null,
        subject  text not null,
        mails    integer not null,
        primary key (day, subject)
      )`);
  }
}
