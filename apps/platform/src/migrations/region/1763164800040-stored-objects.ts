import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Files whose content is in an object store. The row is authoritative: it is committed before its object is uploaded and deleted after its
 * object, so an object that a crash leaves in the store has a row, or the sweep finds it. Times are those of the database, because replicas
 * compare them.
 */
export class StoredObjects1763164800040 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // One row. store_id begins every key, so that databases which share a bucket never delete each other's objects.
    await db.query(`
      create table object_store (
        is_only       boolean primary key default true check (is_only),
        store_id      uuid not null default gen_random_uuid(),
        sweep_cursor  text not null default '',
        swept_at      timestamptz not null default '-infinity',
        leased_until  timestamptz not null default '-infinity'
      )`);
    await db.query(`insert into object_store default values`);

    // owner_id: the row that the file belongs to; null for an object that was found without a row. Keys are compared as S3 sorts them, by
    // bytes. Without its sealing_key nobody can read the object, so a deletion takes effect at once, however long the object stays.
    await db.query(`
      create table stored_object (
        object_key       text collate "C" primary key,
        company_user_id  text,
        owner_id         text,
        state            text not null check (state in ('uploading', 'stored', 'deleting')),
        changed_at       timestamptz not null default now(),
        sealing_key      bytea,
        bytes            bigint,
        missing_since    timestamptz,
        attempts         integer not null default 0,
        retry_at         timestamptz not null default now(),
        check ((state = 'deleting') = (sealing_key is null)),
        check (state <> 'stored' or bytes is not null)
      )`);
    await db.query(`create unique index stored_object_of_owner on stored_object (owner_id) where state <> 'deleting'`);
    await db.query(`create index stored_object_of_company on stored_object (company_user_id, owner_id) where state = 'stored'`);
    await db.query(`create index stored_object_uploading on stored_object (changed_at) where state = 'uploading'`);
    await db.query(`create index stored_object_deleting on stored_object (retry_at) where state = 'deleting'`);
    await db.query(`create index stored_object_missing on stored_object (missing_since) where missing_since is not null`);

    // Values are deleted in many ways, most of them by cascade. The trigger marks the object for deletion in all of them.
    await db.query(`
      create function delete_object_of_value() returns trigger language plpgsql as $$
      begin
        update stored_object
           set state = 'deleting', sealing_key = null, missing_since = null, changed_at = now(), attempts = 0, retry_at = now()
         where owner_id = old.shared_value_id and state <> 'deleting';
        return null;
      end $$`);
    await db.query(`
      create trigger shared_value_object after delete on shared_value
        for each row when (old.file_sha256 is not null) execute function delete_object_of_value()`);
  }
}
