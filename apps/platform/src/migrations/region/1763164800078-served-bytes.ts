import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The length of the answer with a payload, which is sent before the payload. Null for payloads that earlier releases stored. */
export class ServedBytes1763164800078 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_content add column served_bytes integer`);
  }
}
