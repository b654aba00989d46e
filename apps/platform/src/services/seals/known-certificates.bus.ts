import { Controller } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { KnownCertificates } from './known-certificates.service.ts';

/** Lets regions register the certificates that they seal with, and list the certificates of all regions. */
@Controller()
export class KnownCertificatesBus {
  constructor(private readonly known: KnownCertificates) {}

  @Answers(FRONT_DOOR.registerCertificates, { queue: 'front-door', fixed: ['region'] })
  async register(
    { certificates }: MessageOf<typeof FRONT_DOOR.registerCertificates>,
    { values: { region } }: BusContext<typeof FRONT_DOOR.registerCertificates>,
  ): Promise<null> {
    await this.known.register(region, certificates);
    return null;
  }

  @Answers(FRONT_DOOR.listCertificates, { queue: 'front-door', fixed: ['region'] })
  async list() {
    return { certificates: await this.known.listStored() };
  }
}
