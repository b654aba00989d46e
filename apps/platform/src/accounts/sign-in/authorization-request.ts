import { createHash } from 'node:crypto';
import { Level, Refusal, type identity, type Input } from '@codase/contracts';
import type { SignInClient } from '../../access/clients/index.ts';
import type { AppRequest } from '../sign-in-apps/index.ts';

/** The client that sends a user to the sign-in page, with the level of its company. */
export interface AskingClient extends SignInClient {
  level: Level | null;
  /** What a sign-in app asks for; absent for any other client. */
  app?: AppRequest;
}

/** The parameters with which a browser comes to the sign-in page. */
export type AuthorizationQuery = Input<typeof identity.beginAuthorization>['query'];

/** What is asked of the user: to sign in, or to agree to approve logins. A `detached` enrolment sends the browser nowhere. */
export type AuthorizationRequest =
  | {
      goal: 'code';
      client: AskingClient;
      redirect_uri: string;
      state: string | undefined;
      nonce: string | undefined;
      code_challenge: string;
    }
  | { goal: 'enrolment'; client: AskingClient; redirect_uri: string; state: string | undefined }
  | { goal: 'detached'; client: AskingClient; state: string };

/** Where the answer to a client goes: its redirect URI, which was found to be registered, with the state of the request. */
export interface WayBack {
  client: AskingClient;
  redirect_uri: string;
  state: string | undefined;
}

/** A request that is faulty, of a client whose redirect URI was found to be right: the client may be told (RFC 6749, section 4.1.2.1). */
export class FaultOfClient extends Refusal<'oauth.invalid_request' | 'oauth.unsupported_response_type'> {
  constructor(
    key: 'oauth.invalid_request' | 'oauth.unsupported_response_type',
    readonly back: WayBack,
  ) {
    super(key);
  }

  /** The refusal as OAuth writes it in a redirect. */
  get parameters(): { error: string; error_description: string } {
    return { error: this.key.slice('oauth.'.length), error_description: this.message };
  }
}

/** Checks the parameters in a fixed order. No failed check sends the browser elsewhere by itself. @spec D1-4.1 @spec D1-5.5 @spec D1-4.5 */
export function readRequest(client: AskingClient | undefined, query: AuthorizationQuery): AuthorizationRequest {
  if (!client) throw new Refusal('oauth.invalid_client').because('There is no client with this client_id');
  if (query.response_mode === 'detached') return detached(client, query);
  const redirect_uri = trustedRedirect(client, query);
  return query.mode === undefined ? code(client, redirect_uri, query) : enrolment(client, redirect_uri, query);
}

/** Returns the redirect URI, exactly as registered: one that only looks like it may be somebody else's. @spec D1-5.5 */
function trustedRedirect({ redirect_uris }: AskingClient, { redirect_uri }: AuthorizationQuery): string {
  if (redirect_uris.length === 0) throw new Refusal('oauth.unauthorized_client');
  if (redirect_uri === undefined || !redirect_uris.includes(redirect_uri))
    throw malformed('redirect_uri must be exactly the one that the client was registered with');
  return redirect_uri;
}

function code(
  client: AskingClient,
  redirect_uri: string,
  { response_type, code_challenge, code_challenge_method, state, nonce }: AuthorizationQuery,
): AuthorizationRequest {
  const back = { client, redirect_uri, state };
  if (response_type !== 'code') throw new FaultOfClient('oauth.unsupported_response_type', back);
  if (!isCodeChallenge(code_challenge) || code_challenge_method !== 'S256')
    throw new FaultOfClient('oauth.invalid_request', back).because('Send a code_challenge with code_challenge_method S256 (PKCE)');
  checkAnswerable(client);
  return { goal: 'code', client, redirect_uri, state, nonce, code_challenge };
}

/** Refuses an app whose claims a phone cannot answer: it cannot seal to a company without a key. @gap D1-4.6 */
function checkAnswerable({ app }: AskingClient): void {
  if (app && app.claims.length > 0 && app.claims_delivery === 'encrypted' && app.public_key === null)
    throw new Refusal('oauth.unauthorized_client').because('The app asks for encrypted values, but its company has no key to seal them to');
}

function enrolment(client: AskingClient, redirect_uri: string, { state }: AuthorizationQuery): AuthorizationRequest {
  checkEnrols(client);
  return { goal: 'enrolment', client, redirect_uri, state };
}

/** Reads a detached enrolment, whose result is asked for by its state. Its redirect URI is checked and not used. @gap D1-4.5 */
function detached(client: AskingClient, query: AuthorizationQuery): AuthorizationRequest {
  const { mode, redirect_uri, state } = query;
  if (mode === undefined) throw malformed('response_mode detached is for mode 2fa_enroll alone');
  if (redirect_uri !== undefined) trustedRedirect(client, query);
  if (state === undefined) throw malformed('A detached enrolment needs a state, by which its result is asked');
  checkEnrols(client);
  return { goal: 'detached', client, state };
}

/** Refuses a client that is not the client of a service, because logins are approved for a service. @gap D1-4.5 */
function checkEnrols({ kind }: AskingClient): void {
  if (kind !== 'service')
    throw new Refusal('oauth.unauthorized_client').because('Only the client of a service can enrol persons for approvals');
}

/** Whether the text is a code challenge: a SHA-256 in base64url (PKCE, RFC 7636). @spec D1-5.5 */
export const isCodeChallenge = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? '');

const malformed = (reason: string) => new Refusal('oauth.invalid_request').because(reason);

/** Returns, as a text for the user, whom a request is for when it is not for this account. @spec D1-5.5 @gap D1-5.5 */
export function wrongAccount(
  { goal, client }: AuthorizationRequest,
  account: { user_id: string; type: 'person' | 'company' },
): string | undefined {
  if (goal !== 'code' || client.kind === 'person' || client.kind === 'app')
    return account.type === 'person' ? undefined : 'This is for persons: sign in with the account of a person.';
  if (account.type !== 'company') return 'This is for companies: sign in with the account of a company.';
  const isOwn = client.kind === 'portal' || account.user_id === client.company_user_id;
  return isOwn ? undefined : 'This is for the company that owns the client alone.';
}

/** Whether a company pays for new persons who approve logins. Those who are enrolled stay so. @spec D1-4.5 */
export const includesApprovals = (level: Level): boolean => Level.options.indexOf(level) >= Level.options.indexOf('pro');

/** Whether the operator has configured where the client leads, and nobody could register it. */
export const isFirstParty = ({ kind }: AskingClient): boolean => kind === 'portal' || kind === 'person';

/** Whether the client wants no page: it asks whether the user is signed in already, and here nobody ever is. @gap D1-4.6 */
export const asksNothing = ({ prompt }: AuthorizationQuery): boolean => prompt?.split(' ').includes('none') === true;

/**
 * Returns a digest of what the page says that a sign-in app learns; undefined for other clients. The form carries it, so that a person
 * gives what the page showed and nothing else. @gap D1-4.6
 */
export function shownBy({ client: { name, app } }: AuthorizationRequest): string | undefined {
  if (!app) return undefined;
  const shown = [name, app.company_code, app.claims_delivery, app.claims];
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
}

/** Returns the address with parameters added behind those that it may already have. */
export function redirectWith(redirect_uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
