import { execute, many, sql, type Db } from '@codase/runtime/db';
import type { KnownSealCertificateEntity } from './known-seal-certificate.entity.ts';

export const addKnownCertificate = (db: Db, { certificate_id, certificate_pem, region, created_at }: KnownSealCertificateEntity) =>
  execute(
    db,
    sql`
    insert into known_seal_certificate (certificate_id, certificate_pem, region, created_at)
    values (${certificate_id}, ${certificate_pem}, ${region}, ${created_at})
    on conflict do nothing`,
  );

export const listKnownCertificates = (db: Db): Promise<KnownSealCertificateEntity[]> =>
  many(db, sql`select * from known_seal_certificate order by created_at, certificate_id`);
