import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Connections of customers with services, the values that they share, and the values of people's own profiles. Values of persons are
 * ciphertext; a file whose source is not private is stored as its envelope. Values that a service no longer asks for are deleted with their
 * request row. @spec D1-2.7 @spec D1-2.8 @gap D1-2.7
 */
export class Connections1763164800006 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The customer may live in another region: no reference to a profile.
    await db.query(`
      create table connection (
        connection_id     text primary key,
        company_user_id   text not null references profile on delete cascade,
        service_id        text not null references service on delete cascade,
        customer_user_id  text not null,
        customer_type     text not null check (customer_type in ('person', 'company')),
        display_name      text not null,
        share_code        text not null,
        public_key        text not null,
        connected_at      timestamptz not null,
        unique (service_id, customer_user_id)
      )`);
    await db.query(`create index connection_of_service on connection (service_id, connected_at, connection_id)`);
    await db.query(`create index connection_of_company on connection (company_user_id, connection_id)`);
    await db.query(`create index connection_of_customer on connection (customer_user_id, connected_at, connection_id)`);

    // One answer to one request row. value: the ciphertext of a text. A file is in shared_file, and its digest outlives it.
    await db.query(`
      create table shared_value (
        shared_value_id   text primary key,
        company_user_id   text not null references profile on delete cascade,
        connection_id     text not null references connection on delete cascade,
        service_field_id  text not null references request_field on delete cascade,
        value             text,
        file_sha256       text,
        live              boolean not null,
        source_private    boolean not null,
        source_field      text,
        verification      jsonb not null,
        updated_at        timestamptz not null,
        expires_at        timestamptz,
        unique (connection_id, service_field_id),
        check ((value is null) <> (file_sha256 is null))
      )`);
    await db.query(`create index shared_value_of_company on shared_value (company_user_id, shared_value_id)`);
    await db.query(`create index shared_value_of_request on shared_value (service_field_id)`);
    await db.query(`create index shared_value_expiring on shared_value (expires_at) where expires_at is not null`);
    // Files are stored in pieces, because rows are sent in messages when their company moves.
    await db.query(`
      create table shared_file (
        piece_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        shared_value_id  text not null references shared_value on delete cascade,
        position         integer not null,
        piece            text not null,
        unique (shared_value_id, position)
      )`);
    await db.query(`create index shared_file_of_company on shared_file (company_user_id, piece_id)`);
    await db.query(`
      create table declined_field (
        declined_field_id  text primary key,
        company_user_id    text not null references profile on delete cascade,
        connection_id      text not null references connection on delete cascade,
        service_field_id   text not null references request_field on delete cascade,
        declined_at        timestamptz not null,
        unique (connection_id, service_field_id)
      )`);
    await db.query(`create index declined_field_of_company on declined_field (company_user_id, declined_field_id)`);
    await db.query(`create index declined_field_of_request on declined_field (service_field_id)`);

    // The companies to which a customer of this region has connected, wherever they live. One company too many only causes a request
    // without a result.
    await db.query(`
      create table customer_company (
        customer_user_id  text not null references profile on delete cascade,
        company_user_id   text not null,
        primary key (customer_user_id, company_user_id)
      )`);
    await db.query(`
      create table contact_value (
        owner_user_id  text not null references profile on delete cascade,
        slug           text not null,
        value          text not null,
        is_private     boolean not null,
        verification   jsonb not null,
        updated_at     timestamptz not null,
        primary key (owner_user_id, slug)
      )`);
  }
}
