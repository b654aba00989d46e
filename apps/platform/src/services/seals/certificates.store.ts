import type { Db } from '@codase/runtime/db';
import { IsNull, Not } from 'typeorm';
import { SealCertificateEntity, KnownSealCertificateEntity } from './seal-certificate.entity.ts';

export type OwnCertificateRow = SealCertificateEntity & { sealed_key: string };

/** Returns the certificate that the region made for itself and seals with. */
export const findOwnCertificate = async (db: Db): Promise<OwnCertificateRow | undefined> =>
  ((await db.getRepository(SealCertificateEntity).findOneBy({ sealed_key: Not(IsNull()) })) ?? undefined) as OwnCertificateRow | undefined;

/** Returns all certificates with which seals of this region were made, the oldest first. */
export const listAllCertificates = (db: Db): Promise<SealCertificateEntity[]> =>
  db.getRepository(SealCertificateEntity).find({ order: { created_at: 'ASC', certificate_id: 'ASC' } });

/** Returns whether the certificate was used here before: then the front door knows it. */
export const hasCertificate = (db: Db, { certificate_id }: SealCertificateEntity): Promise<boolean> =>
  db.getRepository(SealCertificateEntity).existsBy({ certificate_id });

/** Adds a certificate, kept for good to verify PDFs. When a region makes two at the same time, the first stays. */
export const addCertificate = (db: Db, row: SealCertificateEntity) =>
  db.createQueryBuilder().insert().into(SealCertificateEntity).values(row).orIgnore().execute();

/** Deletes the key of a certificate, and returns whether there was one: of several replicas that renew, only one finds it and goes on. */
export const retireKey = async (db: Db, { certificate_id }: SealCertificateEntity): Promise<boolean> =>
  (await db.getRepository(SealCertificateEntity).update({ certificate_id, sealed_key: Not(IsNull()) }, { sealed_key: null })).affected ===
  1;

/** Replaces the sealed key, if it is still the one that was read. */
export const resealKey = (db: Db, { certificate_id, sealed_key }: OwnCertificateRow, resealed: string) =>
  db.getRepository(SealCertificateEntity).update({ certificate_id, sealed_key }, { sealed_key: resealed });

export const addKnownCertificate = (db: Db, row: KnownSealCertificateEntity) =>
  db.createQueryBuilder().insert().into(KnownSealCertificateEntity).values(row).orIgnore().execute();

export const listKnownCertificates = (db: Db): Promise<KnownSealCertificateEntity[]> =>
  db.getRepository(KnownSealCertificateEntity).find({ order: { created_at: 'ASC', certificate_id: 'ASC' } });
