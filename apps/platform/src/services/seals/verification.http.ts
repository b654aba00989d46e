import { Controller, Inject } from '@nestjs/common';
import { seals, type Caller, type Input } from '@codase/contracts';
import { RefusesWith, Serves, type Call } from '@codase/runtime/http';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { KnownCertificates } from './known-certificates.service.ts';
import { PdfVerification } from './pdf-verification.service.ts';
import { refusedPage, verifyPage } from './verify-page.ts';

/** Verifies whether a PDF was sealed here: a page for people, an endpoint for programs, the certificates for who does it alone. */
@Controller()
export class VerificationHttp {
  constructor(
    private readonly verification: PdfVerification,
    private readonly known: KnownCertificates,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  @Serves(seals.verifyPage)
  page() {
    return verifyPage(this.name);
  }

  @Serves(seals.verifyOnPage)
  @RefusesWith(refusedPage)
  async verifyOnPage({ body }: Input<typeof seals.verifyOnPage>, _: Caller<typeof seals.verifyOnPage>, { address }: Call) {
    return verifyPage(this.name, { found: await this.verification.verify(address, body) });
  }

  @Serves(seals.verifyPdf)
  verifyPdf({ body }: Input<typeof seals.verifyPdf>, _: Caller<typeof seals.verifyPdf>, { address }: Call) {
    return this.verification.verify(address, body);
  }

  @Serves(seals.listKnownCertificates)
  async certificates() {
    return { items: await this.known.list(), next_cursor: null };
  }

  private get name(): string {
    return new URL(this.bases.front_door_url).hostname;
  }
}
