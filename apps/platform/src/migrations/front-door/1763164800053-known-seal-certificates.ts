import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The certificates with which the regions seal PDFs or have sealed them. Anybody may ask whether a PDF was sealed with one of them. */
export class KnownSealCertificates1763164800053 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table known_seal_certificate (
        certificate_id   text primary key,
        certificate_pem  text not null,
        region           text not null,
        created_at       timestamptz not null
      )`);
  }
}
