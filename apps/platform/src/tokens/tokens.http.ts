import { Controller } from '@nestjs/common';
import { tokens, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { TokensService } from './tokens.service.ts';

/** The token endpoint, at every base. @spec D1-4.1 */
@Controller()
export class TokensHttp {
  constructor(private readonly tokens: TokensService) {}

  @Serves(tokens.issueToken)
  issue({ body }: Input<typeof tokens.issueToken>) {
    return this.tokens.issue(body);
  }
}
