import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { fails } from '../fails.ts';
import { Region } from '../region.ts';

const malformed = fails('oauth.invalid_request');
const parameter = z.string(malformed).min(1, malformed).max(4096, malformed);

/** @spec D1-2.2 */
export const TokenResponse = z.object({
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  access_token: z.string(),
  api_url: z.url().optional(),
});
export type TokenResponse = z.infer<typeof TokenResponse>;

export const issueToken = endpoint({
  name: 'issue_token',
  method: 'POST',
  path: '/oauth2/token',
  at: ['front-door'],
  spec: 'D1-4.1',
  summary: 'Exchange client credentials for an access token',
  callers: ['anyone'],
  consumes: 'form',
  body: z.object({
    grant_type: parameter,
    client_id: parameter.optional(),
    client_secret: parameter.optional(),
  }),
  status: 200,
  result: TokenResponse,
  refusals: ['oauth.invalid_request', 'oauth.invalid_client', 'oauth.unsupported_grant_type'],
});

export const jwks = endpoint({
  name: 'jwks',
  method: 'GET',
  path: '/oauth2/jwks',
  at: ['front-door'],
  spec: 'D1-4.1',
  summary: 'Public keys that verify access tokens',
  callers: ['anyone'],
  status: 200,
  result: z.object({
    keys: z.array(
      z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), alg: z.literal('ES256'), use: z.literal('sig'), kid: z.string(), x: z.string(), y: z.string() }),
    ),
  }),
  refusals: [],
});

export const serverMetadata = endpoint({
  name: 'server_metadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  at: ['front-door'],
  spec: 'D1-4.1',
  summary: 'Authorization server metadata (RFC 8414)',
  callers: ['anyone'],
  status: 200,
  result: z.object({
    issuer: z.string(),
    token_endpoint: z.string(),
    jwks_uri: z.string(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
  }),
  refusals: [],
});

export const listRegions = endpoint({
  name: 'list_regions',
  method: 'GET',
  path: '/api/regions',
  at: ['front-door'],
  spec: 'D1-4.1',
  summary: 'The regions and their bases',
  callers: ['anyone'],
  status: 200,
  result: z.object({ items: z.array(z.object({ region: Region, api_url: z.url() })), next_cursor: z.null() }),
  refusals: [],
});

export const health = endpoint({
  name: 'health',
  method: 'GET',
  path: '/api/health',
  at: ['front-door'],
  spec: 'D1-4.1',
  summary: 'Whether the front door answers',
  callers: ['anyone'],
  status: 200,
  result: z.object({ status: z.literal('ok') }),
  refusals: [],
});
