import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { listAllCertificates } from './certificates.store.ts';

const EVERY_MS = 60_000;
/** How many rounds pass between two registrations that worked: an hour. */
const ROUNDS = 60;

/** How many certificates fit into one message: a thousand years of them. */
const AT_ONCE = 100;

/** Registers all certificates with the front door again, as its database may be an older one that was restored. */
@Injectable()
export class PeriodicRegistration extends PeriodicWorker {
  private pause = 0;

  constructor(
    @Inject(FrontDoorRequests) private readonly frontDoor: Pick<FrontDoorRequests, 'request'>,
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'seal_certificates', everyMs: EVERY_MS, failure: 'the front door did not take the certificates of seals' }, log);
  }

  async round(): Promise<void> {
    if (--this.pause > 0) return;
    const certificates = (await listAllCertificates(this.db)).slice(-AT_ONCE).map(({ certificate_pem }) => certificate_pem);
    if (certificates.length > 0) await this.frontDoor.request(FRONT_DOOR.registerCertificates, {}, { certificates });
    this.pause = ROUNDS;
  }
}
