import { Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@cds/contracts';
import { FrontDoorRequests } from '../regions/index.ts';

/** Names certificates of this region to the front door, which says to anybody whether a PDF was sealed with one. */
@Injectable()
export class CertificateRegistration {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  async register(certificates: readonly string[]): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.registerCertificates, {}, { certificates: [...certificates] });
  }
}
