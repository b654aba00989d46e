import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Sign-ups are counted by their source, so that strangers cannot use up the mails of an address whose owner signs up. Rows that are there
 * have no source, and end within a day. @gap D1-5
 */
export class SignUpSources1763164800221 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table pending_sign_up
        add column source text,
        add column mails integer not null default 1,
        add column mails_since timestamptz not null default now(),
        add column mail_id text`);
    await db.query(`create unique index pending_sign_up_of_source on pending_sign_up (source, email)`);
    await db.query(`create index pending_sign_up_newest on pending_sign_up (created_at)`);
  }
}
