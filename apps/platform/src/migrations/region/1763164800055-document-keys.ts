import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The hash of the key by which the sender knows a document, so that a repeated call creates no second document. @gap D1-4.7 */
export class DocumentKeys1763164800055 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document add column repeat_hash bytea`);
    await db.query(`create unique index document_of_key on document (service_id, repeat_hash)`);
  }
}
