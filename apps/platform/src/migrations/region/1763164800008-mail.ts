import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Mail that has to be sent; a mail that is sent or given up is deleted. A row has the facts of the mail. The recipient is read from the
 * service when the mail is sent. @spec D1-6.3
 */
export class Mail1763164800008 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table mail (
        mail_id          text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        webhook_id       text not null,
        kind             text not null,
        facts            jsonb not null,
        created_at       timestamptz not null,
        attempts         integer not null default 0,
        next_at          timestamptz not null,
        held_until       timestamptz not null default '-infinity'
      )`);
    await db.query(`create index mail_due on mail (next_at)`);
    await db.query(`create index mail_of_service on mail (service_id, webhook_id)`);
    await db.query(`create index mail_of_company on mail (company_user_id, mail_id)`);
  }
}
