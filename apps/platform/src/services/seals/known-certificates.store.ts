import { many, sql, type Db } from '@codase/runtime/db';

/** A certificate of a region, as the front door knows it. */
export interface KnownCertificate {
  /** The fingerprint of the certificate. */
  certificate_id: string;
  certificate_pem: string;
  region: string;
  created_at: Date;
}

export const addKnownCertificate = (db: Db, { certificate_id, certificate_pem, region, created_at }: KnownCertificate) =>
  many(
    db,
    sql`
    insert into known_seal_certificate (certificate_id, certificate_pem, region, created_at)
    values (${certificate_id}, ${certificate_pem}, ${region}, ${created_at})
    on conflict do nothing`,
  );

export const listKnownCertificates = (db: Db): Promise<KnownCertificate[]> =>
  many(db, sql`select * from known_seal_certificate order by created_at, certificate_id`);
