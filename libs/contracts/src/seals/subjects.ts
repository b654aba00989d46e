import { z } from 'zod';
import { Done, frontDoorSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { SealCertificate } from '../documents/shapes.ts';

/** A certificate in PEM, as long as one may be. */
const CertificatePem = z.string().max(16 * 1024);

/** Asked of the front door by a region that seals PDFs. */
export const sealSubjects = {
  /** Names certificates that the region seals with, before it does: the front door knows them for good. */
  registerCertificates: idempotent(
    frontDoorSubject('register_seal_certificates', z.strictObject({ certificates: z.array(CertificatePem).min(1).max(100) }), Done),
  ),
  /** Those of all regions, as services verify their copies with them. */
  listCertificates: idempotent(
    frontDoorSubject('list_seal_certificates', z.strictObject({}), z.object({ certificates: z.array(SealCertificate) })),
  ),
} as const;
