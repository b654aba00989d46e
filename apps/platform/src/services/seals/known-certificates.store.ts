import type { Db } from '@codase/runtime/db';
import { KnownSealCertificateEntity } from './seal-certificate.entity.ts';

export const addKnownCertificate = (db: Db, row: KnownSealCertificateEntity) =>
  db.createQueryBuilder().insert().into(KnownSealCertificateEntity).values(row).orIgnore().execute();

export const listKnownCertificates = (db: Db): Promise<KnownSealCertificateEntity[]> =>
  db.getRepository(KnownSealCertificateEntity).find({ order: { created_at: 'ASC', certificate_id: 'ASC' } });
