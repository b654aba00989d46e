import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { CertificateRegistration } from './certificate-registration.service.ts';
import { listAllCertificates } from './certificates.store.ts';

const EVERY_MS = 60_000;
/** How many rounds pass between two registrations that worked: an hour. */
const ROUNDS = 60;

/** How many certificates fit into one message: a thousand years of them. */
const AT_ONCE = 100;

/** Registers all certificates again, as the front door's database may be an older one that was restored. */
@Injectable()
export class PeriodicRegistration extends PeriodicWorker {
  private pause = 0;

  constructor(
    private readonly registration: CertificateRegistration,
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'seal_certificates', everyMs: EVERY_MS, failure: 'the front door did not take the certificates of seals' }, log);
  }

  async round(): Promise<void> {
    if (--this.pause > 0) return;
    const certificates = (await listAllCertificates(this.db)).slice(-AT_ONCE);
    if (certificates.length > 0) await this.registration.register(certificates.map(({ certificate_pem }) => certificate_pem));
    this.pause = ROUNDS;
  }
}
