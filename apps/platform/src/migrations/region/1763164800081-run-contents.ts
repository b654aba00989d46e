import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The contents of run files, apart from the files. The content of an answer belongs to the company, the content of a source to the customer
 * whose file it was, and each is stored in the region of its owner and moves with the owner. So a file and its content may be in two
 * regions. @spec D2-4.1
 */
export class RunContents1763164800081 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // served_sha256: the digest of the answer to a reader; null while the content is uploaded. taken: a file has the content. ask_at: when
    // the region of the company is asked next whether it still has the file; null for contents of the company itself.
    await db.query(`
      create table flow_run_content (
        file_id          text primary key,
        owner_user_id    text not null references profile on delete cascade,
        company_user_id  text not null,
        served_sha256    text,
        piece_key        bytea check (length(piece_key) = 32),
        taken            boolean not null default false,
        ask_at           timestamptz,
        created_at       timestamptz not null,
        check (not taken or served_sha256 is not null),
        check (ask_at is null or owner_user_id <> company_user_id)
      )`);
    await db.query(`create index flow_run_content_of_owner on flow_run_content (owner_user_id, file_id)`);
    await db.query(`create index flow_run_content_waiting on flow_run_content (created_at) where not taken`);
    await db.query(`create index flow_run_content_asked on flow_run_content (ask_at) where ask_at is not null`);
    await db.query(`
      insert into flow_run_content (file_id, owner_user_id, company_user_id, served_sha256, taken, created_at)
      select file_id, company_user_id, company_user_id, served_sha256, true, created_at from flow_run_file`);

    await db.query(`alter table flow_run_piece drop constraint flow_run_piece_file_id_fkey`);
    await db.query(`alter table flow_run_piece add foreign key (file_id) references flow_run_content on delete cascade`);
    await db.query(`alter table flow_run_piece rename column company_user_id to owner_user_id`);
    await db.query(`alter table flow_run_piece alter column piece set storage external`);
    await db.query(`alter table flow_run_file drop column served_sha256`);
    await db.query(`drop trigger flow_run_file_object on flow_run_file`);
    await db.query(`
      create trigger flow_run_content_object after delete on flow_run_content
        for each row execute function delete_object_of_run_file()`);

    // Contents of customers that no file refers to any more: the regions of these customers have to be informed.
    await db.query(`
      create table flow_run_release (
        file_id     text primary key,
        user_id     text not null,
        attempts    integer not null default 0,
        next_at     timestamptz not null default '-infinity',
        created_at  timestamptz not null default now()
      )`);
    await db.query(`create index flow_run_release_due on flow_run_release (next_at)`);

    // Files are deleted in many ways, some of them by cascade. The trigger deletes or releases the content in all of them. The content of a
    // customer is not released when the file only leaves with its company.
    await db.query(`
      create function release_run_content() returns trigger language plpgsql as $$
      begin
        if old.source_user_id is null then
          delete from flow_run_content where file_id = old.file_id;
        elsif not exists (select from profile where user_id = old.company_user_id and home in ('leaving', 'arriving')) then
          insert into flow_run_release (file_id, user_id) values (old.file_id, old.source_user_id) on conflict do nothing;
        end if;
        return null;
      end $$`);
    await db.query(`
      create trigger flow_run_file_content after delete on flow_run_file for each row execute function release_run_content()`);
  }
}
