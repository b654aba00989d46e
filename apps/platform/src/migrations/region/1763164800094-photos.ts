import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Photos of profiles and services, and the pieces that their bytes are stored in. @spec D1-5.8 */
export class Photos1763164800094 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // service_id is null for a photo of the profile. A photo without a content type is still being uploaded, and is deleted when no request
    // takes it.
    await db.query(`
      create table photo (
        photo_id        text primary key,
        owner_user_id   text not null references profile on delete cascade,
        service_id      text references service on delete cascade,
        content_type    text,
        size            integer,
        content_sha256  text,
        piece_key       bytea check (length(piece_key) = 32),
        created_at      timestamptz not null,
        check ((content_type is null) = (size is null) and (content_type is null) = (content_sha256 is null)),
        check (content_type is not null or service_id is null)
      )`);
    await db.query(`create index photo_of_owner on photo (owner_user_id, photo_id)`);
    await db.query(`create index photo_of_service on photo (service_id)`);
    await db.query(`create index photo_uploading on photo (created_at) where content_type is null`);

    await db.query(`
      create table photo_piece (
        piece_id       text primary key,
        owner_user_id  text not null references profile on delete cascade,
        photo_id       text not null references photo on delete cascade,
        position       integer not null,
        piece          text,
        encoding       text check (encoding in ('utf8', 'base64')),
        bytes          bytea,
        unique (photo_id, position),
        check ((piece is null) <> (bytes is null) and (bytes is null) = (encoding is null))
      )`);
    await db.query(`alter table photo_piece alter column bytes set storage external`);
    await db.query(`create index photo_piece_of_owner on photo_piece (owner_user_id, piece_id)`);

    // Photos are deleted in many ways, some of them by cascade. The trigger marks the object for deletion in all of them.
    await db.query(`
      create function delete_object_of_photo() returns trigger language plpgsql as $$
      begin
        update stored_object
           set state = 'deleting', sealing_key = null, missing_since = null, changed_at = now(), attempts = 0, retry_at = now()
         where owner_id = old.photo_id and state <> 'deleting';
        return null;
      end $$`);
    await db.query(`
      create trigger photo_object after delete on photo
        for each row execute function delete_object_of_photo()`);
  }
}
