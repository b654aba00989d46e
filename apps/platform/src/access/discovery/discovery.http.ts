import { Controller, Inject } from '@nestjs/common';
import { CLIENT_KEY_ALGORITHMS, discovery, identity, regions, tokens, type Caller, type Input } from '@codase/contracts';
import { prefersHtml, Serves, type Call } from '@codase/runtime/http';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { frontPage, frontPageHtml } from './front-page.ts';
import { SIGNING_KEYS, SigningKeys } from '../tokens/index.ts';

/** What the front door serves to anyone. @spec D1-4.1 */
@Controller()
export class DiscoveryHttp {
  constructor(
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  @Serves(discovery.frontPage)
  frontPage(_input: Input<typeof discovery.frontPage>, _caller: Caller<typeof discovery.frontPage>, { headers }: Call) {
    const page = frontPage(this.bases.front_door_url);
    return prefersHtml(String(headers['accept'] ?? ''))
      ? { content_type: 'text/html; charset=utf-8', bytes: Buffer.from(frontPageHtml(page)) }
      : page;
  }

  @Serves(tokens.jwks)
  jwks() {
    return { keys: this.keys.jwks };
  }

  @Serves(tokens.serverMetadata)
  metadata() {
    const issuer = this.bases.front_door_url;
    return {
      issuer,
      token_endpoint: `${issuer}${tokens.issueToken.path}`,
      authorization_endpoint: `${issuer}${identity.authorize.path}`,
      revocation_endpoint: `${issuer}${tokens.revokeToken.path}`,
      jwks_uri: `${issuer}${tokens.jwks.path}`,
      grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: Object.values(CLIENT_KEY_ALGORITHMS).flat(),
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  @Serves(tokens.openidConfiguration)
  openidConfiguration() {
    return {
      ...this.metadata(),
      jwks_uri: `${this.bases.front_door_url}${tokens.openidJwks.path}`,
      scopes_supported: ['openid'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['ES256'],
      claims_supported: ['sub', 'iss', 'aud', 'iat', 'exp', 'auth_time', 'nonce'],
      request_uri_parameter_supported: false, // libraries take it for true when it is absent
    };
  }

  @Serves(regions.listRegions)
  regions() {
    return { items: this.bases.regions, next_cursor: null };
  }

  @Serves(discovery.health)
  health() {
    return { status: 'ok' as const };
  }
}
