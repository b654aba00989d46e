import { FRONT_DOOR, identity, tokens, type Request } from '@codase/contracts';
import type { Backend, CallOptions, Stranger, User, World } from '@codase/testing';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'undici';

export const CALLBACK = 'https://crm.example/callback';

/** A verifier and its challenge (PKCE). */
export function proof() {
  const code_verifier = randomBytes(32).toString('base64url');
  return { code_verifier, code_challenge: createHash('sha256').update(code_verifier).digest('base64url') };
}

/** Gives a client a redirect URI, so that it may send people to the front door to sign in. */
export async function withRedirect(
  world: World,
  { company_user_id, client_id, service_id }: Backend,
  redirect_uri: string | null = CALLBACK,
): Promise<void> {
  const operator = await world.operator('platform');
  const region = company_user_id === world.bolt.user_id ? 'us' : 'eu';
  await operator.request(
    FRONT_DOOR.changeClient,
    { region },
    { company_user_id, ...(service_id === null ? { client_id } : { service_id }), redirect_uri },
  );
}

interface App {
  client_id: string;
  client_secret?: string;
  redirect_uri: string;
}

/** The first-party apps, as the stack registers them. */
export const portal = ({ frontDoorUrl }: World): App => ({ client_id: 'app_portal', redirect_uri: `${frontDoorUrl}/portal/signed-in` });
export const phone = ({ frontDoorUrl }: World): App => ({ client_id: 'app_person', redirect_uri: `${frontDoorUrl}/app/signed-in` });
export const crm = ({ client_id, client_secret }: Backend): App => ({ client_id, client_secret, redirect_uri: CALLBACK });

/** Signs a user in, and returns the code for an app with all that is needed to redeem it. */
export async function codeFor(
  app: App,
  { email, password }: Pick<User, 'email' | 'password'>,
  stranger: Stranger,
  options: CallOptions = {},
) {
  const { code_verifier, code_challenge } = proof();
  const body = {
    client_id: app.client_id,
    redirect_uri: app.redirect_uri,
    code_challenge,
    code_challenge_method: 'S256' as const,
    email,
    password,
  };
  const { location } = await stranger.asks(identity.authorize, { body }, options);
  const code = new URL(location).searchParams.get('code')!;
  return { grant_type: 'authorization_code', ...app, code, code_verifier };
}

/** Signs a user in with an app, and returns the tokens. */
export async function signIn(app: App, user: Pick<User, 'email' | 'password'>, stranger: Stranger, options: CallOptions = {}) {
  return stranger.asks(tokens.issueToken, { body: await codeFor(app, user, stranger, options) }, options);
}

export const refresh = ({ client_id, client_secret }: App, refresh_token: string): Request<typeof tokens.issueToken> => ({
  body: { grant_type: 'refresh_token', client_id, ...(client_secret && { client_secret }), refresh_token },
});

/** Requests a page as a browser does, without following a redirect. */
export async function browses(url: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await request(url, {
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { body: String(new URLSearchParams(form)) }),
  });
  return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() };
}

export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString('utf8')) as Record<string, unknown>;

/** Returns what the hidden fields of a page's form submit. */
export const hiddenIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!.replaceAll('&amp;', '&')]),
  );

/** Fills the form of the page that a client sends a person to, as a browser would. Returns the address that the answer leads to. */
export async function fillsForm(page: URL, person: { email: string; password: string }): Promise<URL> {
  return (await fillsFormWithCookies(page, person)).at;
}

/** Does the same, and returns the cookies that the browser keeps too. */
export async function fillsFormWithCookies(page: URL, { email, password }: { email: string; password: string }) {
  const { html } = await browses(String(page));
  const form = { ...hiddenIn(html), email, password, decision: 'allow' };
  const { status, headers } = await browses(`${page.origin}${page.pathname}`, form);
  expect(status).toBe(303);
  return { at: new URL(headers['location'] as string), cookie: cookiesIn(headers['set-cookie']) };
}

/** Returns the header with which a browser sends cookies back. */
export const cookiesIn = (set: string | string[] | undefined): string =>
  [set ?? []]
    .flat()
    .map((one) => one.split(';')[0]!)
    .join('; ');
