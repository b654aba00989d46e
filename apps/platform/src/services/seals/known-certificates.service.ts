import { Inject, Injectable } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { Refusal, type SealCertificate } from '@codase/contracts';
import { certificateSummary, fingerprint } from '@codase/pdf/verify';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { addKnownCertificate, listKnownCertificates } from './certificates.store.ts';
import { presentCertificate } from './present-certificate.ts';

/** The certificates of all regions, including those that they used before. @spec D1-2.12.5 */
@Injectable()
export class KnownCertificates {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list() {
    const known = await listKnownCertificates(this.db);
    return known.map(({ certificate_pem }) => ({ ...certificateSummary(new X509Certificate(certificate_pem)), certificate_pem }));
  }

  /** Returns the certificates in the form in which services verify their copies with them. */
  async listStored(): Promise<SealCertificate[]> {
    return (await listKnownCertificates(this.db)).map(presentCertificate);
  }

  async register(region: string, certificates: readonly string[]): Promise<void> {
    const created_at = this.clock.now();
    for (const certificate of certificates.map(readCertificate)) {
      const certificate_id = fingerprint(certificate);
      await addKnownCertificate(this.db, { certificate_id, certificate_pem: certificate.toString(), region, created_at });
    }
  }
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Refusal('request.invalid').because('certificates: must be X.509 certificates in PEM');
  }
}
