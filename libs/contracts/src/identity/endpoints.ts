import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Page } from '../core/html-page.ts';
import { assertion, malformed, parameter } from '../tokens/oauth-parameter.ts';
import { idOr, TEXT } from '../core/text.ts';
import { Account, Code, NewAccount, SignUpBegun } from './shapes.ts';

/** A text that is typed into a page, where a field may stay empty. */
const typed = z.string(malformed).max(4096, malformed).regex(TEXT, malformed).default('');

/** Routes of the front door that anyone may call. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'] } as const;

/** Sign-in, or with `mode` the enrolment for approvals; a `detached` one has no browser. @spec D1-4.1 @spec D1-4.5 @gap D1-4.1 */
const authorization = z.object({
  client_id: parameter.describe('Who asks: `app_portal`, `app_person`, or a client with a `redirect_uri`'),
  response_type: parameter.default('code').describe('Always `code`'),
  redirect_uri: parameter
    .optional()
    .describe('Where the browser ends: an address that is registered for the client, character by character'),
  state: parameter.optional().describe('Random text of yours, which comes back with the code: compare it'),
  code_challenge: parameter
    .optional()
    .describe(
      'PKCE: base64url, without padding, of the SHA-256 of your `code_verifier`. Required unless enrolling: without it the answer is ' +
        '`error=invalid_request`',
    ),
  code_challenge_method: parameter.optional().describe('Always `S256`'),
  nonce: parameter.max(512, malformed).optional().describe('For a sign-in app: random text of yours, which comes back in the `id_token`'),
  prompt: parameter
    .optional()
    .describe(
      '`none` answers `error=login_required`, because every sign-in asks for the password: at once to a browser that has signed in to ' +
        'the client within 30 days, and by a link on a page to any other. Others are ignored',
    ),
  mode: z.literal('2fa_enroll', malformed).optional().describe('`2fa_enroll` enrols the person for approvals and gives no code'),
  response_mode: z
    .enum(['query', 'detached'], malformed)
    .default('query')
    .describe('`detached`, when enrolling: no browser is sent back, and the result is polled'),
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

export const beginAuthorization = endpoint('begin_authorization', 'GET /oauth2/authorize', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Begin the authorization-code flow: the page that asks for sign-in and consent',
  description:
    'Open this address in a browser. It shows a page for sign-in and consent, and ends at `redirect_uri` with `code` and the ' +
    '`state` you sent, or with `error`. PKCE with S256 is required, and `redirect_uri` must be one that is registered for the ' +
    'client, character by character. With `mode=2fa_enroll` it enrols a person for approvals instead and gives no code. When ' +
    'client or address are wrong the browser is not sent anywhere, and the page says what is wrong.',
  query: authorization,
  result: Page,
  produces: 'page',
  refusals: AUTHORIZE_REFUSALS,
  limit: 'token',
});

export const authorize = endpoint('authorize', 'POST /oauth2/authorize', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Submit credentials and consent: the browser is sent to redirect_uri with code and state',
  description:
    'What the sign-in page submits; a program that acts for a user can post it too. It takes the members that began the ' +
    'authorization, with `email` and `password`, and answers 303 with `code` and `state` in Location. A code lives for 60 seconds ' +
    'and is exchanged once. A denial travels to `redirect_uri` as `error=access_denied`; a wrong password comes back as a page. An ' +
    'account with a second factor answers a right password with `account.code_required` and a `step`: repeat the call within ten ' +
    'minutes, with `step` and `code` in place of `email` and `password`. A step signs in once; a wrong code is answered with the ' +
    'same step.',
  consumes: 'form',
  body: authorization.extend({
    /** Empty when the person denies. Consent without an address or password is refused like a wrong password. */
    email: typed.describe('The address the account signs in with'),
    password: typed.describe('Its password'),
    /** Both are given in a second call, in place of the address and the password. @gap D1-5.8 */
    step: typed.describe('When a code is asked for: the `step` of the answer that asked for it'),
    code: typed.describe('With `step`: the code of the authenticator, or a backup code'),
    trust_browser: z
      .literal('yes', malformed)
      .optional()
      .describe('With `code`: `yes` sets a cookie with which this browser is not asked for a code for 30 days'),
    /** A page is shown again when its app has changed what it asks for meanwhile. @gap D1-4.6 */
    shown: typed.describe('What the page has shown of a sign-in app, as the page says it; programs leave it out'),
    /** The button that the person used. Signing in without this member is consent. */
    decision: z.enum(['allow', 'deny'], malformed).default('allow').describe('`deny` sends the browser back with `error=access_denied`'),
  }),
  status: 303,
  /** `set_cookie` travels as a header alone. */
  result: z.object({ location: z.url(), set_cookie: z.array(z.string()).optional() }),
  produces: 'redirect',
  refusals: [
    ...AUTHORIZE_REFUSALS,
    'oauth.access_denied',
    'account.code_required',
    'account.level_required',
    'twofa.connection_required',
    'db.writes_paused',
  ],
  limit: 'token',
});

/** A sign-in that waits for the phone. Its code is in a cookie: no address and no log has it, and no other browser. @gap D1-4.6 */
const WAITING = {
  ...PUBLIC,
  spec: 'D1-4.6',
  query: z.object({ sign_in: idOr('oauth.invalid_request').describe('The id that the sign-in page named in the address') }),
  headers: z.object({ cookie: z.string().optional().describe('The cookies that the sign-in page has set') }),
  refusals: ['oauth.invalid_request', 'region.rebase_required', 'rate_limit.exceeded'],
  limit: 'sign_in_wait',
} as const;

/** @gap D1-4.6 */
export const awaitPhone = endpoint('await_phone', 'GET /oauth2/authorize/waiting', {
  ...WAITING,
  summary: 'The page that waits until the person has answered the claims of a sign-in app on the phone',
  description:
    'The sign-in page sends the browser here when the app has claims. The page shows two digits, which the phone shows too, and loads ' +
    'itself again every few seconds. When the person has answered, its button leads on.',
  result: Page,
  produces: 'page',
});

/** @gap D1-4.6 */
export const continueSignIn = endpoint('continue_sign_in', 'POST /oauth2/authorize/waiting', {
  ...WAITING,
  summary: 'Go back to the sign-in app, after the person has answered on the phone',
  description:
    'What the waiting page submits. It answers 303: to `redirect_uri` with `code` and `state`, or with `error=access_denied` when the ' +
    'person refused, or to the waiting page as long as there is no answer. Until the code was exchanged, it may be repeated.',
  status: 303,
  result: z.object({ location: z.url() }),
  produces: 'redirect',
});

/** The page on which a detached enrolment ends for the browser: there is no client to send it back to. @spec D1-4.5 @gap D1-4.5 */
export const authorizationDone = endpoint('authorization_done', 'GET /oauth2/authorize/done', {
  ...PUBLIC,
  spec: 'D1-4.5',
  summary: 'The page that says that a detached enrolment is over',
  description:
    'The last page of a detached enrolment, for the person in the browser. There is nothing in it for a program: poll the result ' +
    'instead.',
  query: z.object({ outcome: z.enum(['enrolled', 'denied'], malformed).default('enrolled').describe('How the enrolment ended') }),
  result: Page,
  produces: 'page',
  refusals: ['oauth.invalid_request', 'region.rebase_required', 'rate_limit.exceeded'],
  limit: 'token',
});

/** The result of a detached enrolment is asked for by the state that began it. @spec D1-4.5 @gap D1-4.1 */
export const pollResult = endpoint('poll_result', 'POST /oauth2/result', {
  ...PUBLIC,
  spec: 'D1-4.1',
  summary: 'Ask whether a detached enrolment was confirmed',
  description:
    'For an enrolment that began with `response_mode=detached`: says whether the person has confirmed it. `enrolled` stays false ' +
    'until then; poll every few seconds. A state that is unknown or over answers `oauth.invalid_grant`, a denial ' +
    '`oauth.access_denied`: begin a new enrolment.',
  consumes: 'form',
  body: z.object({
    client_id: parameter.describe('The client that began the enrolment'),
    client_secret: parameter.optional().describe('Its secret, unless it sends an assertion'),
    ...assertion,
    state: parameter.describe('The `state` that began the enrolment'),
  }),
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

export const signUp = endpoint('sign_up', 'POST /api/signup', {
  ...PUBLIC,
  spec: 'D1-5',
  summary: 'Sign up a person or a company in a region of its choice; a code is mailed',
  description:
    'Begins an account with its key pair. The keys are made by the caller: the server gets the public key, and the private key ' +
    'wrapped under a passphrase it never sees, so a lost passphrase cannot be recovered. The home region is chosen here. A code is ' +
    'mailed to the address: confirm the sign-up with it before `confirm_by`. The answer is the same whether there is already an ' +
    'account with the address; only the mail tells. A newer sign-up with the same address from the same network replaces the one ' +
    'before it, and after five within a day there are no more codes until the next. A company begins at the level `free`; an operator ' +
    'raises it.',
  body: NewAccount,
  status: 202,
  result: SignUpBegun,
  refusals: [
    'request.invalid',
    'account.email_invalid',
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

/** The person who signed up has the id, and the reader of the mail has the code. Only both together make an account. @gap D1-5 */
export const confirmSignUp = endpoint('confirm_sign_up', 'POST /api/signup/{signUpId}/confirm', {
  ...PUBLIC,
  spec: 'D1-5',
  summary: 'Create the account with the code that was mailed',
  description:
    'Creates the account that was signed up for, when the mailed code is right. After five wrong codes, or a day, sign up again. Sign ' +
    'in afterwards with `app_portal` for a company or `app_person` for a person.',
  params: z.object({ signUpId: idOr('account.code_invalid').describe('The `sign_up_id` of the sign-up') }),
  body: z.strictObject({ code: Code }),
  status: 201,
  result: Account,
  refusals: [
    'request.invalid',
    'account.code_invalid',
    'account.email_taken',
    'region.rebase_required',
    'rate_limit.exceeded',
    'platform.out_of_order',
    'db.writes_paused',
  ],
  limit: 'token',
});
