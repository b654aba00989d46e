import { Controller, Inject } from '@nestjs/common';
import { access, type Input } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import type { SigningKey } from './access-token.ts';
import { BASES, type Bases } from './regions.ts';
import { SIGNING_KEY, TokensService } from './tokens.service.ts';

/** What the front door serves to anyone. @spec D1-4.1 */
@Controller()
export class TokensHttp {
  constructor(
    @Inject(TokensService) private readonly tokens: TokensService,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  @Serves(access.issueToken)
  issue({ body }: Input<typeof access.issueToken>) {
    return this.tokens.issue(body);
  }

  @Serves(access.jwks)
  jwks() {
    return { keys: [this.key.jwk] };
  }

  @Serves(access.serverMetadata)
  metadata() {
    const issuer = this.bases.front_door_url;
    return {
      issuer,
      token_endpoint: `${issuer}${access.issueToken.path}`,
      jwks_uri: `${issuer}${access.jwks.path}`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
  }

  @Serves(access.listRegions)
  regions() {
    return { items: this.bases.regions, next_cursor: null };
  }

  @Serves(access.health)
  health() {
    return { status: 'ok' as const };
  }
}
