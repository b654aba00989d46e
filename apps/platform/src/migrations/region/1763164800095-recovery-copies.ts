import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The recovery keys of companies, the copies of secrets that are sealed to them, and an id for the signing secret of each webhook, by which
 * a copy of an older secret is known. @spec D1-5.1 @spec D1-5.9 @gap D1-5.1
 */
export class RecoveryCopies1763164800095 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table recovery_key (
        company_user_id        text primary key references profile on delete cascade,
        public_key             text not null,
        encrypted_private_key  jsonb not null,
        created_at             timestamptz not null
      )`);
    // secret_id: which secret of the subject it is a copy of. service_id: the service that the copy goes with.
    await db.query(`
      create table recovery_copy (
        copy_id          text primary key,
        company_user_id  text not null references recovery_key on delete cascade,
        kind             text not null,
        subject_id       text not null,
        secret_id        text not null,
        service_id       text references service on delete cascade,
        value            text not null,
        created_at       timestamptz not null,
        unique (company_user_id, kind, subject_id, secret_id)
      )`);
    await db.query(`create index recovery_copy_of_company on recovery_copy (company_user_id, created_at, copy_id)`);
    await db.query(`create index recovery_copy_of_service on recovery_copy (service_id)`);
    // Null: the webhook has no signing secret. Of a webhook that is older than this column only its sealed secrets say so.
    await db.query(`alter table webhook add secret_id text default 'first'`);
  }
}
