import { Controller } from '@nestjs/common';
import { access, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { TokensService } from './tokens.service.ts';

/** The token endpoint, at every base. @spec D1-4.1 */
@Controller()
export class TokensHttp {
  constructor(private readonly tokens: TokensService) {}

  @Serves(access.issueToken)
  issue({ body }: Input<typeof access.issueToken>) {
    return this.tokens.issue(body);
  }
}
