import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The accounts with their home regions, and the clients that may ask for tokens. @spec D1-2.1 @spec D1-5.6 */
export class Registry1763164800001 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table account (
        user_id     text primary key,
        type        text not null check (type in ('person', 'company')),
        email       text not null unique,
        region      text not null,
        created_at  timestamptz not null
      )`);
    await db.query(`
      create table client (
        client_id        text primary key,
        kind             text not null check (kind in ('service', 'account')),
        company_user_id  text not null references account,
        service_id       text,
        region           text not null,
        epoch            integer not null,
        secret_hash      text not null,
        created_at       timestamptz not null,
        check ((kind = 'service') = (service_id is not null))
      )`);
    // At most one data client per service. @spec D1-2.1
    await db.query(`create unique index client_of_service on client (service_id) where kind = 'service'`);
  }
}
