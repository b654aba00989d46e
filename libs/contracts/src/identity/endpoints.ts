import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Page } from '../core/html-page.ts';
import { malformed, parameter } from '../tokens/oauth-parameter.ts';
import { Account, NewAccount } from './shapes.ts';

/** Typed into a page, where a field may stay empty. */
const typed = z.string(malformed).max(4096, malformed).default('');

/** What anyone may call, at the front door. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

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
  ...PUBLIC,
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
  ...PUBLIC,
  name: 'authorize',
  method: 'POST',
  path: '/oauth2/authorize',
  spec: 'D1-4.1',
  summary: 'Submit credentials and consent: the browser is sent to redirect_uri with code and state',
  consumes: 'form',
  body: authorization.extend({
    /** Empty when the person denies. Consent without an address or password is refused like a wrong password. */
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
  ...PUBLIC,
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
  ...PUBLIC,
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

export const signUp = endpoint({
  ...PUBLIC,
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
