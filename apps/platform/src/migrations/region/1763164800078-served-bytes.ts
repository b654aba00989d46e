import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** How long the answer with a payload is: it says so before the payload leaves. Null for what earlier releases stored. */
export class ServedBytes1763164800078 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_content add column served_bytes integer`);
  }
}
