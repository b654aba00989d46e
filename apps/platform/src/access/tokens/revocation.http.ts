import { Controller } from '@nestjs/common';
import { tokens, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { RevocationService } from './revocation.service.ts';

/** Revokes tokens before they expire, at the front door (RFC 7009). @spec D1-4.1 */
@Controller()
export class RevocationHttp {
  constructor(private readonly revocation: RevocationService) {}

  @Serves(tokens.revokeToken)
  async revoke({ body }: Input<typeof tokens.revokeToken>) {
    await this.revocation.revoke(body);
    return {};
  }
}
