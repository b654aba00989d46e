import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Requests of services to persons to connect. A rejected request stays for a time, so that the service cannot ask again at once.
 * @spec D1-4.2
 */
export class ConnectRequests1763164800045 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The person may live in another region: no reference to a profile. An accepted request becomes a connection, and its row is deleted.
    await db.query(`
      create table connect_request (
        request_id       text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        person_user_id   text not null,
        share_code       text not null,
        message          text,
        asked_at         timestamptz not null,
        rejected_at      timestamptz,
        unique (service_id, person_user_id),
        check (rejected_at is null or message is null)
      )`);
    await db.query(`create index connect_request_of_company on connect_request (company_user_id, request_id)`);
    await db.query(`create index connect_request_of_person on connect_request (person_user_id, asked_at)`);
    await db.query(`create index connect_request_age on connect_request (coalesce(rejected_at, asked_at))`);

    // In the person's home region: the companies whose requests have to be looked for, wherever a company lives by then.
    await db.query(`
      create table asking_company (
        person_user_id   text not null references profile on delete cascade,
        company_user_id  text not null,
        asked_at         timestamptz not null,
        primary key (person_user_id, company_user_id)
      )`);
    await db.query(`create index asking_company_age on asking_company (asked_at)`);
  }
}
