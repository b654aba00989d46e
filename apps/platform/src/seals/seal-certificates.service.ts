import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type SealCertificate } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { FrontDoorRequests } from '../regions/index.ts';
import { listAllCertificates } from './certificates.store.ts';
import { presentCertificate } from './present-certificate.ts';

/** The certificates of all regions, as services verify their copies with them. @gap D1-2.12 */
@Injectable()
export class SealCertificates {
  /** As the front door said them last. A certificate is never taken back, so what was said stays true. */
  private known: readonly SealCertificate[] | undefined;

  constructor(
    private readonly frontDoor: FrontDoorRequests,
    @Inject(REGION_DB) private readonly db: DataSource,
  ) {}

  /** Incomplete while the front door is away: those that are known here. */
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
