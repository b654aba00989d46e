import { Controller } from '@nestjs/common';
import { tokens, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { TokensService } from './tokens.service.ts';

/** The token endpoint, at every base. @spec D1-4.1 */
@Controller()
export class TokensHttp {
  constructor(private readonly tokens: TokensService) {}

  @Serves(tokens.issueToken)
  issue({ body }: Input<typeof tokens.issueToken>, _: Caller<typeof tokens.issueToken>, call: Call) {
    // A client that gets a token has proven who it is, so the answer belongs to its trace.
    return this.tokens.issue(body, call).then((issued) => call.inCallersTrace(() => issued));
  }
}
