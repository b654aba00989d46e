import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Contents of documents are in the object store too. They are deleted in many ways, most of them by cascade, and the trigger marks the
 * object for deletion in all of them.
 */
export class DocumentObjects1763164800052 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function delete_object_of_content() returns trigger language plpgsql as $$
      begin
        update stored_object
           set state = 'deleting', sealing_key = null, missing_since = null, changed_at = now(), attempts = 0, retry_at = now()
         where owner_id = old.content_id and state <> 'deleting';
        return null;
      end $$`);
    await db.query(`
      create trigger document_content_object after delete on document_content
        for each row execute function delete_object_of_content()`);
  }
}
