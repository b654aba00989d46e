import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import type { SealCertificateEntity } from './seal-certificate.entity.ts';

export type OwnCertificateRow = SealCertificateEntity & { sealed_key: string };

/** Returns the certificate that the region made for itself and seals with. */
export const findOwnCertificate = (db: Db): Promise<OwnCertificateRow | undefined> =>
  one(db, sql`select * from seal_certificate where sealed_key is not null`);

/** Returns all certificates with which seals of this region were made, the oldest first. */
export const listAllCertificates = (db: Db): Promise<SealCertificateEntity[]> =>
  many<SealCertificateEntity>(db, sql`select * from seal_certificate order by created_at, certificate_id`);

/** Returns whether the certificate was used here before: then the front door knows it. */
export const hasCertificate = async (db: Db, { certificate_id }: SealCertificateEntity): Promise<boolean> =>
  (await one(db, sql`select 1 from seal_certificate where certificate_id = ${certificate_id}`)) !== undefined;

/**
 * Adds a certificate, which is kept for good: PDFs that were sealed with it are verified with it. When a region makes two at the same time,
 * the first stays.
 */
export const addCertificate = (db: Db, row: SealCertificateEntity) =>
  execute(
    db,
    sql`
    insert into seal_certificate (certificate_id, certificate_pem, chain_pem, sealed_key, created_at)
    values (${row.certificate_id}, ${row.certificate_pem}, ${JSON.stringify(row.chain_pem)}, ${row.sealed_key}, ${row.created_at})
    on conflict do nothing`,
  );

/**
 * Deletes the key of a certificate, and returns whether there was one. Of several replicas that renew at the same time only one finds the
 * key, and goes on.
 */
export const retireKey = async (db: Db, { certificate_id }: SealCertificateEntity): Promise<boolean> =>
  (await one(
    db,
    sql`update seal_certificate set sealed_key = null where certificate_id = ${certificate_id} and sealed_key is not null returning 1`,
  )) !== undefined;

/** Replaces the sealed key, if it is still the one that was read. */
export const resealKey = (db: Db, { certificate_id, sealed_key }: SealCertificateEntity, resealed: string) =>
  execute(
    db,
    sql`update seal_certificate set sealed_key = ${resealed} where certificate_id = ${certificate_id} and sealed_key = ${sealed_key}`,
  );
