import { Controller, Inject } from '@nestjs/common';
import { verifications as contracts } from '@codase/contracts';
import type { ProjectionReader } from '@codase/runtime/bus';
import { Serves } from '@codase/runtime/http';
import { PROVIDER_ROWS, type PROVIDERS } from './provider-rows.ts';

/** The list of providers, for anyone: whoever checks an attestation needs their keys. @gap D1-2.7 */
@Controller()
export class ProvidersHttp {
  constructor(@Inject(PROVIDER_ROWS) private readonly providers: ProjectionReader<typeof PROVIDERS.shape>) {}

  @Serves(contracts.listVerificationProviders)
  list() {
    const standing = this.providers.all().filter((row) => !row.removed);
    const items = standing.toSorted((one, other) => (one.provider_id < other.provider_id ? -1 : 1));
    return { items, next_cursor: null };
  }
}
