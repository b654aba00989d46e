import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Runs of contract flows. They are stored in the region of the company, and outlast connections, flows and services: a run is a record of
 * all its parties. @spec D2-2.2 @spec D2-8
 */
export class FlowRuns1763164800070 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The definition that runs are pinned to, once for all runs of a version. It stays as it is when the flow is changed or deleted.
    await db.query(`
      create table flow_run_definition (
        definition_id    text primary key,
        company_user_id  text not null references profile on delete cascade,
        definition       json not null
      )`);
    await db.query(`create index flow_run_definition_of_company on flow_run_definition (company_user_id, definition_id)`);

    await db.query(`
      create table flow_run (
        run_id            text primary key,
        company_user_id   text not null references profile on delete cascade,
        service_id        text not null,
        flow_id           text not null,
        flow_version      integer not null,
        definition_id     text not null,
        status            text not null,
        current_node      text,
        last_party        text,
        reference_date    text not null check (reference_date ~ '^\\d{4}-\\d\\d-\\d\\d$'),
        private_slugs     text[] not null default '{}',
        owner_tag_values  json,
        repeat_hash       bytea,
        created_at        timestamptz not null,
        data_removed_at   timestamptz,
        unique (service_id, repeat_hash)
      )`);
    await db.query(`create index flow_run_of_company on flow_run (company_user_id, run_id)`);
    await db.query(`create index flow_run_of_service on flow_run (service_id, created_at desc, run_id desc)`);
    await db.query(`create index flow_run_of_status on flow_run (service_id, status, created_at desc, run_id desc)`);
    await db.query(`create index flow_run_of_flow on flow_run (flow_id, created_at desc, run_id desc)`);
    await db.query(`create index flow_run_of_flow_status on flow_run (flow_id, status, created_at desc, run_id desc)`);
    await db.query(`create index flow_run_open on flow_run (status) where status not in ('completed', 'cancelled')`);
    // Retention looks for runs that still hold data.
    await db.query(`create index flow_run_with_data on flow_run (company_user_id, created_at) where data_removed_at is null`);

    // A customer may live in another region: no reference to a profile. Public keys are never replaced.
    await db.query(`
      create table flow_run_party (
        run_party_id     text primary key,
        company_user_id  text not null references profile on delete cascade,
        run_id           text not null references flow_run on delete cascade,
        position         integer not null,
        party_key        text not null,
        user_id          text not null,
        connection_id    text,
        customer_type    text check (customer_type in ('person', 'company')),
        share_code       text,
        public_key       text,
        created_at       timestamptz not null,
        unique (run_id, party_key),
        check ((connection_id is null) = (customer_type is null))
      )`);
    await db.query(`create index flow_run_party_of_company on flow_run_party (company_user_id, run_party_id)`);
    await db.query(`create index flow_run_party_of_connection on flow_run_party (connection_id, created_at desc, run_id desc)`);

    // A copy of an answer for one user.
    await db.query(`
      create table flow_run_answer (
        answer_id        text primary key,
        company_user_id  text not null references profile on delete cascade,
        run_id           text not null references flow_run on delete cascade,
        slug             text not null,
        for_user_id      text not null,
        value            text not null,
        source_private   boolean not null,
        verification     json not null,
        answered_at      timestamptz not null,
        unique (run_id, for_user_id, slug)
      )`);
    await db.query(`create index flow_run_answer_of_company on flow_run_answer (company_user_id, answer_id)`);

    // The values of tags about customers in texts, compiled for one recipient: a user, or the company.
    await db.query(`
      create table flow_run_tag_values (
        tag_values_id    text primary key,
        company_user_id  text not null references profile on delete cascade,
        run_id           text not null references flow_run on delete cascade,
        for_user_id      text not null,
        public           text not null,
        public_tags      text[] not null,
        private          json not null,
        unique (run_id, for_user_id)
      )`);
    await db.query(`create index flow_run_tag_values_of_company on flow_run_tag_values (company_user_id, tag_values_id)`);

    // Before its run starts, a source belongs to a flow and to the customer whose file it is; a file answer belongs to its run at once, and
    // counts when an answer names it.
    await db.query(`
      create table flow_run_file (
        file_id          text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null,
        flow_id          text not null,
        run_id           text references flow_run on delete cascade,
        source_user_id   text,
        source_key       text,
        slug             text,
        for_user_id      text,
        served_sha256    text not null,
        taken            boolean not null default false,
        created_at       timestamptz not null,
        check ((source_user_id is null) <> (slug is null)),
        check (not taken or run_id is not null)
      )`);
    await db.query(`create index flow_run_file_of_company on flow_run_file (company_user_id, file_id)`);
    await db.query(`create index flow_run_file_of_run on flow_run_file (run_id, for_user_id)`);
    await db.query(`create index flow_run_file_waiting on flow_run_file (created_at) where not taken`);

    await db.query(`
      create table flow_run_piece (
        piece_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        file_id          text not null references flow_run_file on delete cascade,
        position         integer not null,
        piece            text not null,
        unique (file_id, position)
      )`);
    await db.query(`create index flow_run_piece_of_company on flow_run_piece (company_user_id, piece_id)`);

    // Files are deleted in many ways, most of them by cascade. The trigger marks the object for deletion in all of them.
    await db.query(`
      create function delete_object_of_run_file() returns trigger language plpgsql as $$
      begin
        update stored_object
           set state = 'deleting', sealing_key = null, missing_since = null, changed_at = now(), attempts = 0, retry_at = now()
         where owner_id = old.file_id and state <> 'deleting';
        return null;
      end $$`);
    await db.query(`
      create trigger flow_run_file_object after delete on flow_run_file
        for each row execute function delete_object_of_run_file()`);
  }
}
