import { Controller } from '@nestjs/common';
import { access, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { RevocationService } from './revocation.service.ts';

/** Ends tokens before their time, at the front door (RFC 7009). @spec D1-4.1 */
@Controller()
export class RevocationHttp {
  constructor(private readonly revocation: RevocationService) {}

  @Serves(access.revokeToken)
  async revoke({ body }: Input<typeof access.revokeToken>) {
    await this.revocation.revoke(body);
    return {};
  }
}
