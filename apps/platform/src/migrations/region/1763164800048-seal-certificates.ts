import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The certificates with which PDFs were sealed in this region. The certificate that the region made itself has its private key, encrypted.
 * @spec D1-2.12.5
 */
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
    // At most one certificate has a key, so that replicas which start at the same time make only one.
    await db.query(`create unique index seal_certificate_own on seal_certificate ((true)) where sealed_key is not null`);
  }
}
