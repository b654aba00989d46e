import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { idOr } from '../core/text.ts';
import { assertion, parameter } from './oauth-parameter.ts';
import { Session, TokenResponse } from './shapes.ts';

/** Routes of the front door that anyone may call. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

/**
 * Unknown parameters are ignored, as OAuth asks. Regions issue tokens too, without api_url. Only the front door exchanges a code.
 * @spec D1-4.1 @gap D1-4.7 @gap D1-5.6
 */
export const issueToken = endpoint('issue_token', 'POST /oauth2/token', {
  ...PUBLIC,
  at: ['front-door', 'region'],
  spec: 'D1-4.1',
  summary: 'Exchange client credentials, a code or a refresh token for an access token',
  description:
    'Gives an access token that lives for an hour. Backends send `grant_type=client_credentials` with their id and secret, in the ' +
    'form or as HTTP Basic, or with a JWT that their key has signed (`private_key_jwt`); apps send `authorization_code` with ' +
    '`code`, `redirect_uri` and `code_verifier`; `refresh_token` ' +
    'continues a sign-in for 90 days at most, and each refresh token works once; within ten seconds it gives the same answer again, ' +
    'since yours may have been lost. Ask the front door, keep the token until shortly before its end, and ' +
    'send data calls to the `api_url` of the answer. A region mints tokens too, without `api_url`, and sends a code back to the ' +
    'front door with a 421. When a refresh token is refused, sign in again: a token that was used twice has ended all that came of ' +
    'its sign-in.\n\nA request with a `DPoP` header gets a token that is bound to the key of the proof (RFC 9449, ES256): send it as ' +
    '`Authorization: DPoP …`, with a new proof in each call. A sign-in of an app is bound too: its refresh tokens need a proof by the ' +
    'same key.',
  consumes: 'form',
  body: z.object({
    grant_type: parameter.describe('`client_credentials`, `authorization_code` or `refresh_token`'),
    client_id: parameter.optional().describe('The id of the client, unless it is sent by HTTP Basic'),
    client_secret: parameter.optional().describe('Its secret, unless it is sent by HTTP Basic; apps such as `app_portal` have none'),
    ...assertion,
    code: parameter.optional().describe('For `authorization_code`: the code that came to `redirect_uri`'),
    redirect_uri: parameter.optional().describe('For `authorization_code`: the same address as when it began'),
    code_verifier: parameter.optional().describe('For `authorization_code`: the text whose SHA-256 was the `code_challenge`'),
    refresh_token: parameter.optional().describe('For `refresh_token`: the newest one you have; it works once'),
  }),
  result: TokenResponse,
  refusals: [
    'oauth.invalid_request',
    'oauth.invalid_client',
    'oauth.invalid_grant',
    'oauth.invalid_dpop_proof',
    'oauth.unauthorized_client',
    'oauth.unsupported_grant_type',
    'account.level_required',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
  ],
  limit: 'token',
});

/** A token that is unknown or already over is no error, as RFC 7009 asks. @gap D1-4.1 */
export const revokeToken = endpoint('revoke_token', 'POST /oauth2/revoke', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'End a refresh token with all that came of its sign-in, or an access token',
  description:
    'Ends a token before its time. A refresh token takes every token of the same sign-in with it. A token that is unknown or over ' +
    'already is answered like one that was ended, so nothing is learned by trying. It works while a region is paused or out of order.',
  consumes: 'form',
  body: z.object({
    token: parameter.describe('The token to end'),
    token_type_hint: parameter.optional().describe('`access_token` or `refresh_token`; only a hint'),
    client_id: parameter.optional().describe('The client that the token was issued to'),
    client_secret: parameter.optional().describe('Its secret, where it has one'),
    ...assertion,
  }),
  /** An empty object rather than an empty body, which some clients cannot read. */
  result: z.object({}),
  refusals: ['oauth.invalid_request', 'oauth.invalid_client', 'region.rebase_required', 'rate_limit.exceeded'],
  limit: 'token',
});

const KeySet = z.object({
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
});

export const jwks = endpoint('jwks', 'GET /oauth2/jwks', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Public keys that verify access tokens',
  description:
    'The public keys that verify access tokens, as a JSON Web Key Set. Choose by `kid`, keep the set, and read it again when a ' +
    'token names a key that you do not have.',
  result: KeySet,
});

/** The keys of the front door alone: a region signs no `id_token`, and its stolen key signs nobody in. @gap D1-4.6 */
export const openidJwks = endpoint('openid_jwks', 'GET /oauth2/openid-jwks', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Public keys that verify an `id_token`',
  description: 'The public keys of the front door, as a JSON Web Key Set. No other key signs an `id_token`.',
  result: KeySet,
});

export const serverMetadata = endpoint('server_metadata', 'GET /.well-known/oauth-authorization-server', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Authorization server metadata (RFC 8414)',
  description: 'Where the OAuth endpoints are and what they support, for libraries that configure themselves (RFC 8414).',
  result: z.object({
    issuer: z.string(),
    token_endpoint: z.string(),
    authorization_endpoint: z.string(),
    revocation_endpoint: z.string(),
    jwks_uri: z.string(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    dpop_signing_alg_values_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
  }),
});

/** The same for libraries of OpenID Connect, which sign-in apps use. @gap D1-4.6 */
export const openidConfiguration = endpoint('openid_configuration', 'GET /.well-known/openid-configuration', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'OpenID provider metadata (OpenID Connect Discovery)',
  description: 'Where a sign-in app sends people and exchanges codes, for libraries of OpenID Connect that configure themselves.',
  result: serverMetadata.result.extend({
    scopes_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
    request_uri_parameter_supported: z.boolean(),
  }),
});

/** Sign-ins, which the specification does not list. They are rows of the front door: the state of a region does not matter. @gap D1-4.1 */
const OWN_SESSIONS = {
  tag: 'account',
  at: ['front-door'],
  spec: 'D1-4.1',
  callers: ['portal', 'person'],
} as const;

export const listSessions = endpoint('list_sessions', 'GET /api/account/sessions', {
  ...OWN_SESSIONS,
  summary: 'Where you are signed in',
  description:
    'The open sign-ins of the account behind the token, the newest first; each ends 90 days after its password was given. Asked of the ' +
    'front door, like the two that end them.',
  result: whole(Session),
});

export const endSession = endpoint('end_session', 'DELETE /api/account/sessions/{sessionId}', {
  ...OWN_SESSIONS,
  summary: 'Sign out of one session',
  description: 'Ends one of your sign-ins, with all its tokens, at every base. Your own may be the one.',
  params: z.object({ sessionId: idOr('account.session_not_found').describe('The id of a session, from the list of them') }),
  refusals: ['account.session_not_found'],
});

export const endAllSessions = endpoint('end_all_sessions', 'DELETE /api/account/sessions', {
  ...OWN_SESSIONS,
  summary: 'Sign out everywhere',
  description: 'Ends all your sign-ins, this one too, with all their tokens, at every base.',
});
