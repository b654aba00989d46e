import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The delegates of companies, and the services that were granted to them. @spec D1-5.8 */
export class Delegates1763164800101 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The delegate may live in another region: no reference to a profile. The name is the one at the time of adding.
    await db.query(`
      create table delegate (
        delegate_id       text primary key,
        company_user_id   text not null references profile on delete cascade,
        delegate_user_id  text not null,
        delegate_type     text not null,
        display_name      text not null,
        public_key        text not null,
        created_at        timestamptz not null,
        unique (company_user_id, delegate_user_id)
      )`);
    await db.query(`create index delegate_of_company on delegate (company_user_id, created_at, delegate_id)`);
    await db.query(`create index delegate_of_user on delegate (delegate_user_id, created_at, delegate_id)`);

    // passphrase: a wrapper that only the delegate can open; null when the key was not handed over.
    await db.query(`
      create table delegate_grant (
        grant_id         text primary key,
        delegate_id      text not null references delegate on delete cascade,
        service_id       text not null references service on delete cascade,
        company_user_id  text not null references profile on delete cascade,
        passphrase       text,
        granted_at       timestamptz not null,
        key_read_at      timestamptz,
        unique (delegate_id, service_id)
      )`);
    await db.query(`create index delegate_grant_of_company on delegate_grant (company_user_id, grant_id)`);
    await db.query(`create index delegate_grant_of_service on delegate_grant (service_id)`);

    // In the home region of the delegate: the companies whose delegations have to be looked for, wherever a company lives by then.
    await db.query(`
      create table delegating_company (
        user_id          text not null references profile on delete cascade,
        company_user_id  text not null,
        primary key (user_id, company_user_id)
      )`);
    await db.query(`create index delegating_company_by_company on delegating_company (company_user_id)`);
  }
}
