import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The certificates that PDFs were sealed with in this region; with that of its own making its key, encrypted. @spec D1-2.12.5 */
export class SealCertificates1763164800048 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table seal_certificate (
        certificate_id   text primary key,
        certificate_pem  text not null,
        chain_pem        json not null,
        sealed_key       text,
        created_at       timestamptz not null
      )`);
    // Replicas that start at once make one.
    await db.query(`create unique index seal_certificate_own on seal_certificate ((true)) where sealed_key is not null`);
  }
}
