import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** PDF templates and images of flows. A file never changes; drafts, versions and copies of a flow share it. @spec D2-2.4 */
export class FlowFiles1763164800061 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table flow_file (
        file_id          text primary key,
        company_user_id  text not null references profile on delete cascade,
        kind             text not null check (kind in ('pdf', 'image')),
        original_name    text not null,
        mime_type        text not null,
        size             integer not null,
        sha256           text not null,
        tags             text[] not null,
        created_at       timestamptz not null
      )`);
    await db.query(`create index flow_file_of_company on flow_file (company_user_id, file_id)`);
    await db.query(`
      create table flow_file_piece (
        piece_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        file_id          text not null references flow_file on delete cascade,
        position         integer not null,
        piece            bytea not null,
        unique (file_id, position)
      )`);
    await db.query(`create index flow_file_piece_of_company on flow_file_piece (company_user_id, piece_id)`);

    // The asset key under which a flow has a file, in its draft or in a version.
    await db.query(`
      create table flow_asset (
        asset_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        flow_id          text not null references flow on delete cascade,
        version          integer,
        asset_key        text not null,
        file_id          text not null references flow_file
      )`);
    await db.query(`create index flow_asset_of_company on flow_asset (company_user_id, asset_id)`);
    await db.query(`create unique index flow_asset_of_draft on flow_asset (flow_id, asset_key) where version is null`);
    await db.query(`create unique index flow_asset_of_version on flow_asset (flow_id, version, asset_key) where version is not null`);
    await db.query(`create index flow_asset_of_file on flow_asset (file_id)`);

    // A file is deleted with the last asset that refers to it, however the asset is deleted. The lock lets two assets that are deleted at
    // the same time see each other.
    await db.query(`
      create function delete_unused_flow_file() returns trigger language plpgsql as $$
      begin
        perform from flow_file where file_id = old.file_id for update;
        delete from flow_file f where f.file_id = old.file_id and not exists (select from flow_asset a where a.file_id = old.file_id);
        return null;
      end $$`);
    await db.query(`
      create trigger flow_asset_file after delete on flow_asset
        for each row execute function delete_unused_flow_file()`);
  }
}
