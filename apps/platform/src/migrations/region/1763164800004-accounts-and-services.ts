import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The data of a company in its home region. Every table of a company has the column company_user_id with an index, by which its rows are
 * found when the company moves to another region. @spec D1-2.4 @spec D1-2.6 @spec D1-2.9 @gap D1-5.6
 */
export class AccountsAndServices1763164800004 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // here: at home. leaving, arriving: nothing is written until the move is complete.
    await db.query(`
      alter table profile
        add encrypted_private_key  jsonb,
        add home                   text not null default 'here' check (home in ('here', 'leaving', 'arriving')),
        add moving_to              text`);
    // The users who have ever moved from or to this region, each with the highest turn that was received. A step with a lower turn is late,
    // and is refused.
    await db.query(`
      create table move_turn (
        user_id  text primary key,
        turn     integer not null
      )`);

    await db.query(`
      alter table service
        add admin_email            text not null default '',
        add number_matching        boolean not null default false,
        add audience               text not null default 'both' check (audience in ('both', 'b2b')),
        add encrypted_private_key  jsonb,
        add private_key_pem        text,
        add shared_fields          text[] not null default '{}',
        add photo_id               text,
        add config_version         integer not null default 1`);
    await db.query(`
      create table request_field (
        service_field_id       text primary key,
        company_user_id        text not null references profile on delete cascade,
        service_id             text not null references service on delete cascade,
        position               integer not null,
        slug                   text not null,
        label                  text not null,
        type                   text not null,
        one_time               boolean not null,
        mandatory              boolean not null,
        audience               text not null check (audience in ('person', 'company', 'both')),
        verified               boolean not null,
        verified_max_age_days  integer,
        plugin                 jsonb,
        unique (service_id, slug)
      )`);
    await db.query(`create index request_field_of_company on request_field (company_user_id, service_field_id)`);
    // Secrets are needed to deliver, so they are encrypted, not hashed; the key is not in the database.
    await db.query(`
      create table webhook (
        webhook_id       text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        url              text not null,
        events           text[] not null,
        format           text not null check (format in ('json', 'xml')),
        auth_type        text not null check (auth_type in ('hmac', 'bearer', 'basic', 'header', 'none')),
        encrypt_payload  boolean not null,
        enabled          boolean not null,
        sealed_secrets   text not null,
        health           text not null default 'running' check (health in ('running', 'bad', 'unknown')),
        health_since     timestamptz not null,
        created_at       timestamptz not null
      )`);
    await db.query(`create index webhook_of_service on webhook (service_id, created_at)`);
    await db.query(`create index webhook_of_company on webhook (company_user_id, webhook_id)`);
    await db.query(`
      create table service_log (
        log_id           text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        at               timestamptz not null,
        kind             text not null,
        message          text not null,
        webhook_id       text
      )`);
    await db.query(`create index service_log_newest on service_log (service_id, at desc, log_id desc)`);
    await db.query(`create index service_log_of_company on service_log (company_user_id, log_id)`);
    await db.query(`
      create table contact_field (
        owner_user_id  text not null references profile on delete cascade,
        slug           text not null,
        label          text not null,
        type           text not null,
        usertype       text not null check (usertype in ('person', 'company', 'any')),
        options        text[],
        primary key (owner_user_id, slug)
      )`);
    // Unlogged: after a crash every caller starts with a full bucket, which does no harm.
    await db.query(`
      create unlogged table rate_bucket (
        key     text primary key,
        tokens  double precision not null,
        at      timestamptz not null
      )`);
  }
}
