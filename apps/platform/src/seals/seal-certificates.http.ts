import { Controller } from '@nestjs/common';
import { documents as contracts } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { SealCertificates } from './seal-certificates.service.ts';

/** What a service verifies its copies of sealed contracts with. @spec D1-2.12 */
@Controller()
export class SealCertificatesHttp {
  constructor(private readonly known: SealCertificates) {}

  @Serves(contracts.listSealCertificates)
  list() {
    return this.known.all();
  }
}
