import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type SealCertificate } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { listAllCertificates } from './certificates.store.ts';
import { presentCertificate } from './present-certificate.ts';

/** The certificates of all regions, with which services verify their copies. @gap D1-2.12 */
@Injectable()
export class SealCertificates {
  /** The last answer of the front door. A certificate is never taken back, so the answer stays true. */
  private known: readonly SealCertificate[] | undefined;

  constructor(
    private readonly frontDoor: FrontDoorRequests,
    @Inject(REGION_DB) private readonly db: DataSource,
  ) {}

  /** Returns the certificates of all regions; while the front door does not answer, those known here, and `complete` is false. */
  async all(): Promise<{ certificates: SealCertificate[]; complete: boolean }> {
    try {
      this.known = (await this.frontDoor.request(FRONT_DOOR.listCertificates, {}, {})).certificates;
      return { certificates: [...this.known], complete: true };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { certificates: [...(this.known ?? (await this.own()))], complete: false };
    }
  }

  private async own(): Promise<SealCertificate[]> {
    return (await listAllCertificates(this.db)).map(presentCertificate);
  }
}
