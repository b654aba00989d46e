import { z } from 'zod';
import { Done, frontDoorSubject } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { SealCertificate } from '../documents/shapes.ts';

/** A certificate in PEM, of a bounded length. */
const CertificatePem = z.string().max(16 * 1024);

/** Subjects that a region that seals PDFs asks, and the front door answers. */
export const sealSubjects = {
  /** Registers certificates before the region seals with them. The front door never forgets them. */
  registerCertificates: idempotent(
    frontDoorSubject('register_seal_certificates', z.strictObject({ certificates: z.array(CertificatePem).min(1).max(100) }), Done),
  ),
  /** The certificates of all regions, with which services verify their copies. */
  listCertificates: idempotent(
    frontDoorSubject('list_seal_certificates', z.strictObject({}), z.object({ certificates: z.array(SealCertificate) })),
  ),
} as const;
