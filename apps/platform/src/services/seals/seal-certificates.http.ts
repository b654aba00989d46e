import { Controller } from '@nestjs/common';
import { documents as contracts } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { SealCertificates } from './seal-certificates.service.ts';

/** Serves the certificates with which a service verifies its copies of sealed contract documents. @spec D1-2.12 */
@Controller()
export class SealCertificatesHttp {
  constructor(private readonly known: SealCertificates) {}

  @Serves(contracts.listSealCertificates)
  list() {
    return this.known.all();
  }
}
