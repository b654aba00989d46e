import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The digest of a sealed payload as it is served. It is sent before the payload, which is never completely in memory. @spec D1-2.8 */
export class ServedDigests1763164800047 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_content add column served_sha256 text`);
  }
}
