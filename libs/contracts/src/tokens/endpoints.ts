import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { parameter } from './oauth-parameter.ts';
import { TokenResponse } from './shapes.ts';

/** What anyone may call, at the front door. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

/**
 * Parameters we do not know are ignored, as OAuth asks. Regions mint too, without api_url; a code is exchanged at the front door
 * alone. @spec D1-4.1 @gap D1-4.7 @gap D1-5.6
 */
export const issueToken = endpoint({
  ...PUBLIC,
  at: ['front-door', 'region'],
  name: 'issue_token',
  method: 'POST',
  path: '/oauth2/token',
  spec: 'D1-4.1',
  summary: 'Exchange client credentials, a code or a refresh token for an access token',
  consumes: 'form',
  body: z.object({
    grant_type: parameter,
    client_id: parameter.optional(),
    client_secret: parameter.optional(),
    code: parameter.optional(),
    redirect_uri: parameter.optional(),
    code_verifier: parameter.optional(),
    refresh_token: parameter.optional(),
  }),
  status: 200,
  result: TokenResponse,
  refusals: [
    'oauth.invalid_request',
    'oauth.invalid_client',
    'oauth.invalid_grant',
    'oauth.unauthorized_client',
    'oauth.unsupported_grant_type',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
  ],
  limit: 'token',
});

/** A token that is unknown or already over is no error, as RFC 7009 asks. @gap D1-4.1 */
export const revokeToken = endpoint({
  ...PUBLIC,
  name: 'revoke_token',
  method: 'POST',
  path: '/oauth2/revoke',
  spec: 'D1-4.1',
  summary: 'End a refresh token with all that came of its sign-in, or an access token',
  consumes: 'form',
  body: z.object({
    token: parameter,
    token_type_hint: parameter.optional(),
    client_id: parameter.optional(),
    client_secret: parameter.optional(),
  }),
  status: 200,
  /** An empty object rather than an empty body, which some clients cannot read. */
  result: z.object({}),
  refusals: [
    'oauth.invalid_request',
    'oauth.invalid_client',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
    'db.writes_paused',
  ],
  limit: 'token',
});

export const jwks = endpoint({
  ...PUBLIC,
  name: 'jwks',
  method: 'GET',
  path: '/oauth2/jwks',
  spec: 'D1-4.1',
  summary: 'Public keys that verify access tokens',
  status: 200,
  result: z.object({
    keys: z.array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        alg: z.literal('ES256'),
        use: z.literal('sig'),
        kid: z.string(),
        x: z.string(),
        y: z.string(),
      }),
    ),
  }),
  refusals: [],
});

export const serverMetadata = endpoint({
  ...PUBLIC,
  name: 'server_metadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  spec: 'D1-4.1',
  summary: 'Authorization server metadata (RFC 8414)',
  status: 200,
  result: z.object({
    issuer: z.string(),
    token_endpoint: z.string(),
    authorization_endpoint: z.string(),
    revocation_endpoint: z.string(),
    jwks_uri: z.string(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
  }),
  refusals: [],
});
