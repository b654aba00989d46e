import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * A row says that an address has had its digest of a day. The address is stored as a hash, since one region keeps the rows for all regions
 * that a delivery serves. @gap D1-2.4
 */
export class MailDigests1763164800026 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table mail_digest (
        day             date not null,
        recipient_hash  text not null,
        primary key (day, recipient_hash)
      )`);
  }
}
