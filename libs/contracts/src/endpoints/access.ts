import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { fails } from '../fails.ts';
import { Region } from '../region.ts';
import { Account, NewAccount } from '../shapes/account.ts';
import { whole } from '../shapes/answers.ts';
import { RawFile } from '../shapes/file.ts';
import { Page } from '../shapes/page.ts';
import { TokenResponse } from '../shapes/token.ts';

export { TokenResponse };

const malformed = fails('oauth.invalid_request');
const parameter = z.string(malformed).min(1, malformed).max(4096, malformed);
/** Typed into a page, where a field may stay empty. */
const typed = z.string(malformed).max(4096, malformed).default('');

const OPEN = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

/**
 * Parameters we do not know are ignored, as OAuth asks. Regions mint too, without api_url; a code is exchanged at the front door
 * alone. @spec D1-4.1 @gap D1-4.7 @gap D1-5.6
 */
export const issueToken = endpoint({
  ...OPEN,
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

/** Sign-in, or with `mode` the enrolment for approvals; `detached` has no browser to send back. @spec D1-4.1 @spec D1-4.5 @gap D1-4.1 */
const authorization = z.object({
  client_id: parameter,
  response_type: parameter.default('code'),
  redirect_uri: parameter.optional(),
  state: parameter.optional(),
  code_challenge: parameter.optional(),
  code_challenge_method: z.literal('S256', malformed).optional(),
  mode: z.literal('2fa_enroll', malformed).optional(),
  response_mode: z.enum(['query', 'detached'], malformed).default('query'),
});

const AUTHORIZE_REFUSALS = [
  'oauth.invalid_request',
  'oauth.invalid_client',
  'oauth.unauthorized_client',
  'oauth.unsupported_response_type',
  'region.rebase_required',
  'rate_limit.exceeded',
  'platform.out_of_order',
] as const;

export const beginAuthorization = endpoint({
  ...OPEN,
  name: 'begin_authorization',
  method: 'GET',
  path: '/oauth2/authorize',
  spec: 'D1-4.1',
  summary: 'Begin the authorization-code flow: the page that asks for sign-in and consent',
  query: authorization,
  status: 200,
  result: Page,
  produces: 'page',
  refusals: AUTHORIZE_REFUSALS,
  limit: 'token',
});

export const authorize = endpoint({
  ...OPEN,
  name: 'authorize',
  method: 'POST',
  path: '/oauth2/authorize',
  spec: 'D1-4.1',
  summary: 'Submit credentials and consent: the browser is sent to redirect_uri with code and state',
  consumes: 'form',
  body: authorization.extend({
    /** Whoever denies need not say who they are; whoever allows without is refused as with a wrong password. */
    email: typed,
    password: typed,
    /** What the button said; signing in without a word is consent. */
    decision: z.enum(['allow', 'deny'], malformed).default('allow'),
  }),
  status: 303,
  result: z.object({ location: z.url() }),
  produces: 'redirect',
  refusals: [...AUTHORIZE_REFUSALS, 'oauth.access_denied', 'account.level_required', 'db.writes_paused'],
  limit: 'token',
});

/** Where a detached enrolment ends for the browser: there is nobody to send it back to. @spec D1-4.5 @gap D1-4.5 */
export const authorizationDone = endpoint({
  ...OPEN,
  name: 'authorization_done',
  method: 'GET',
  path: '/oauth2/authorize/done',
  spec: 'D1-4.5',
  summary: 'The page that says that a detached enrolment is over',
  query: z.object({ outcome: z.enum(['enrolled', 'denied'], malformed).default('enrolled') }),
  status: 200,
  result: Page,
  produces: 'page',
  refusals: ['oauth.invalid_request', 'region.rebase_required', 'rate_limit.exceeded'],
  limit: 'token',
});

/** The state that began a detached enrolment is what its result is asked by. @spec D1-4.5 @gap D1-4.1 */
export const pollResult = endpoint({
  ...OPEN,
  name: 'poll_result',
  method: 'POST',
  path: '/oauth2/result',
  spec: 'D1-4.1',
  summary: 'Ask whether a detached enrolment was confirmed',
  consumes: 'form',
  body: z.object({ client_id: parameter, client_secret: parameter, state: parameter }),
  status: 200,
  result: z.object({ enrolled: z.boolean() }),
  refusals: [
    'oauth.invalid_request',
    'oauth.invalid_client',
    'oauth.invalid_grant',
    'oauth.access_denied',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
    'db.writes_paused',
  ],
  limit: 'token',
});

/** A token that is unknown or already over is no error, as RFC 7009 asks. @gap D1-4.1 */
export const revokeToken = endpoint({
  ...OPEN,
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

export const signUp = endpoint({
  ...OPEN,
  name: 'sign_up',
  method: 'POST',
  path: '/api/signup',
  spec: 'D1-5',
  summary: 'Create the account of a person or a company in a region of its choice',
  body: NewAccount,
  status: 201,
  result: Account,
  refusals: [
    'request.invalid',
    'account.email_invalid',
    'account.email_taken',
    'account.password_weak',
    'account.key_invalid',
    'account.region_unknown',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
    'db.writes_paused',
  ],
  limit: 'token',
});

export const jwks = endpoint({
  ...OPEN,
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
  ...OPEN,
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

export const listRegions = endpoint({
  ...OPEN,
  name: 'list_regions',
  method: 'GET',
  path: '/api/regions',
  spec: 'D1-4.1',
  summary: 'The regions and their bases',
  status: 200,
  result: whole(z.object({ region: Region, api_url: z.url() })),
  refusals: [],
});

export const health = endpoint({
  ...OPEN,
  name: 'health',
  method: 'GET',
  path: '/api/health',
  spec: 'D1-4.1',
  summary: 'Whether the front door answers',
  status: 200,
  result: z.object({ status: z.literal('ok') }),
  refusals: [],
});

export const openapiDocument = endpoint({
  ...OPEN,
  name: 'openapi_document',
  method: 'GET',
  path: '/openapi.json',
  spec: 'D1-4.1',
  summary: 'This API as an OpenAPI 3.1 document',
  status: 200,
  result: z.looseObject({ openapi: z.string() }),
  refusals: [],
});

export const apiExplorer = endpoint({
  ...OPEN,
  name: 'api_explorer',
  method: 'GET',
  path: '/docs',
  spec: 'D1-4.1',
  summary: 'Swagger UI of this API',
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [],
});

/** The page's own files; any other name is no file of ours. */
export const apiExplorerFile = endpoint({
  ...OPEN,
  name: 'api_explorer_file',
  method: 'GET',
  path: '/docs/{asset}',
  spec: 'D1-4.1',
  summary: 'A file of the Swagger UI',
  params: z.object({ asset: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'], fails('request.not_found')) }),
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [],
});
