import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Codes that open recovery copies, and an id for the secret of each client, by which a copy of an older secret is known. @gap D1-5.1 */
export class Recovery1763164800096 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The first secret of every client has the same id: secrets of one client are told apart, and a constant default writes no row.
    await db.query(`alter table client add secret_id text not null default 'first'`);
    // code_hash: null when the code counts no more; the row stays, because it counts the mails of the day. is_used: the owner was told.
    await db.query(`
      create table recovery_code (
        user_id      text primary key references account on delete cascade,
        code_hash    text,
        failures     integer not null default 0,
        is_used      boolean not null default false,
        mail_id      text not null,
        mails        integer not null,
        mails_since  timestamptz not null,
        expires_at   timestamptz not null
      )`);
    await db.query(`create index recovery_code_age on recovery_code (mails_since)`);
  }
}
