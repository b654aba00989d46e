import { Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';

/** Registers certificates of this region with the front door, where anybody can ask whether a PDF was sealed with one of them. */
@Injectable()
export class CertificateRegistration {
  constructor(private readonly frontDoor: FrontDoorRequests) {}

  async register(certificates: readonly string[]): Promise<void> {
    await this.frontDoor.request(FRONT_DOOR.registerCertificates, {}, { certificates: [...certificates] });
  }
}
