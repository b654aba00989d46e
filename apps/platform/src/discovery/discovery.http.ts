import { Controller, Inject } from '@nestjs/common';
import { access } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { BASES, type Bases } from '../regions/index.ts';
import { SIGNING_KEY, type SigningKey } from '../tokens/index.ts';

/** What the front door serves to anyone. @spec D1-4.1 */
@Controller()
export class DiscoveryHttp {
  constructor(
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

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
      authorization_endpoint: `${issuer}${access.authorize.path}`,
      revocation_endpoint: `${issuer}${access.revokeToken.path}`,
      jwks_uri: `${issuer}${access.jwks.path}`,
      grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
      code_challenge_methods_supported: ['S256'],
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
