import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What the sender of a document knows it by, as a hash: a call that is repeated makes no second one. @gap D1-4.7 */
export class DocumentKeys1763164800055 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document add column repeat_hash bytea`);
    await db.query(`create unique index document_of_key on document (service_id, repeat_hash)`);
  }
}
