import { account, identity, OPERATOR, services, tokens, type Refusal } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { BusRecorder, eventually, everyRow, World, type Company, type Person, type SignInAppOnce } from '@codase/testing';
import { freePort } from '@codase/servers';
import * as openid from 'openid-client';
import type { DataSource } from 'typeorm';
import { frontDoorDatabase } from '../../access/clients/account-clients-database.ts';
import { browses, claimsOf, cookiesIn, fillsFormWithCookies, hiddenIn, proof } from '../../support/oauth-visitor.ts';

const BACK = 'https://acme.example/back';
const EMAIL = { slug: 'email', label: 'E-mail', type: 'email' };
const SHOWN_EMAIL = { ...EMAIL, required: true, plugin: null };
const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
const invalidGrant = refused('oauth.invalid_grant', 400);
const notFound = refused('sign_ins.not_found', 404);

/** A relying party and its browser, on their way through a sign-in. */
interface Visit {
  config: openid.Configuration;
  checks: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string };
  /** Where the sign-in page has sent the browser, and the cookies that it keeps. */
  at: URL;
  cookie: string;
}

describe('sign-in with an app of a company @spec D1-4.6 @gap D1-4.6', () => {
  let world: World;
  let ana: Person;
  let frontDoor: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    ana = world.person('ANA');
    frontDoor = await frontDoorDatabase(world);
  });
  afterEach(async () => {
    await execute(frontDoor, sql`delete from client where kind = 'app'`);
  });
  afterAll(async () => {
    await frontDoor?.destroy();
    await world?.close();
  });

  const appOf = (over: object = {}, company: Company = world.acme) => company.signInApps.creates({ redirect_uris: [BACK], ...over });
  const configOf = ({ client_id, client_secret }: SignInAppOnce) =>
    openid.discovery(new URL(world.frontDoorUrl), client_id, undefined, openid.ClientSecretBasic(client_secret), {
      execute: [openid.allowInsecureRequests],
    });

  /** Sends a person to the page with a library of others, and fills it. */
  async function visits(app: SignInAppOnce, person: Person = ana, redirect_uri = BACK): Promise<Visit> {
    const config = await configOf(app);
    const checks = {
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      expectedState: openid.randomState(),
      expectedNonce: openid.randomNonce(),
    };
    const page = openid.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: 'openid',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return { config, checks, ...(await fillsFormWithCookies(page, person)) };
  }
  const exchanges = ({ config, checks }: Visit, at: URL) => openid.authorizationCodeGrant(config, at, checks);
  const waits = ({ at, cookie }: Pick<Visit, 'at' | 'cookie'>) => browses(String(at), undefined, { cookie });
  /** Presses the button of the waiting page. */
  const presses = ({ at, cookie }: Pick<Visit, 'at' | 'cookie'>, headers: Record<string, string> = {}) =>
    browses(String(at), {}, { cookie, ...headers });
  /** Where the browser comes to when the person presses the button of the waiting page. */
  async function goesOn(visit: Pick<Visit, 'at' | 'cookie'>): Promise<URL> {
    const { html } = await waits(visit);
    expect(html).toContain(`action="${visit.at.pathname}${visit.at.search}"`);
    const { status, headers } = await presses(visit);
    expect(status).toBe(303);
    return new URL(headers['location'] as string);
  }
  /** Answers the newest sign-in that waits on the phone. */
  async function gives(values: Record<string, string>, person: Person = ana): Promise<void> {
    await person.phone.approvesSignIn((await person.phone.signIns()).at(-1)!.id, values);
  }
  const codeIn = (at: URL) => at.searchParams.get('code')!;
  /** The address with the code that the browser keeps, as a thief of the cookie would use it. */
  const withCode = ({ cookie }: Visit) => new URL(`${BACK}?code=${cookie.split('=')[1]}`);
  /** Exchanges a code by hand, to send what a library would not. */
  const redeems = (
    app: SignInAppOnce,
    { checks, at }: { checks: Pick<Visit['checks'], 'pkceCodeVerifier'>; at: URL },
    over: Record<string, string> = {},
    base = world.frontDoorUrl,
  ) =>
    world.stranger.asks(
      tokens.issueToken,
      {
        body: {
          grant_type: 'authorization_code',
          client_id: app.client_id,
          client_secret: app.client_secret,
          code: codeIn(at),
          redirect_uri: BACK,
          code_verifier: checks.pkceCodeVerifier,
          ...over,
        },
      },
      { at: base },
    );
  const queryOf = (app: SignInAppOnce, over: Record<string, string> = {}) => ({
    client_id: app.client_id,
    redirect_uri: BACK,
    response_type: 'code',
    state: 'xyz',
    code_challenge: proof().code_challenge,
    code_challenge_method: 'S256' as const,
    ...over,
  });

  // First, because the clock of another process does not know by how much other tests have moved the clock of the world.
  it('works across replicas of the front door, and the code is exchanged only once', async () => {
    const port = await freePort();
    const replica = await world.startsReplica('front-door', { port, opsPort: await freePort() });
    const other = `http://127.0.0.1:${port}`;
    const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
    const { code_verifier, code_challenge } = proof();
    const body = { ...queryOf(app, { code_challenge }), email: ana.email, password: ana.password };

    const { headers } = await browses(`${other}/oauth2/authorize`, body);
    const sign_in = new URL(headers['location'] as string).searchParams.get('sign_in')!;
    await gives({ email: 'ana@example.org' });
    const cookie = cookiesIn(headers['set-cookie']);
    const { location } = await world.stranger.asks(identity.continueSignIn, { query: { sign_in }, headers: { cookie } });
    const visit = { checks: { pkceCodeVerifier: code_verifier }, at: new URL(location) };
    const tries = await Promise.allSettled([other, world.frontDoorUrl, other, world.frontDoorUrl].map((at) => redeems(app, visit, {}, at)));
    await replica.kill();

    const given = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.claim_values] : []));
    expect(given).toEqual([{ email: 'ana@example.org' }]);
  });

  describe('without claims', () => {
    it('returns an id_token that has only the pairwise subject, to an OpenID Connect library', async () => {
      const app = await appOf();
      const visit = await visits(app);

      const answer = await exchanges(visit, visit.at);

      expect(visit.at.origin + visit.at.pathname).toBe(BACK);
      expect(visit.at.searchParams.get('iss')).toBe(world.frontDoorUrl);
      const now = Math.floor(world.now.getTime() / 1000);
      expect(answer.claims()).toEqual({
        iss: world.frontDoorUrl,
        sub: expect.stringMatching(/^sub_\w{24}$/),
        aud: app.client_id,
        iat: now,
        exp: now + 300,
        auth_time: now,
        nonce: visit.checks.expectedNonce,
      });
      expect(Object.keys(answer).toSorted()).toEqual(['access_token', 'expires_in', 'id_token', 'token_type']);
      expect(JSON.stringify([answer, claimsOf(answer.access_token)])).not.toContain(ana.user_id);
    });

    it('publishes OpenID Connect discovery metadata', async () => {
      expect(await world.stranger.asks(tokens.openidConfiguration, {})).toEqual({
        ...(await world.stranger.asks(tokens.serverMetadata, {})),
        scopes_supported: ['openid'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['ES256'],
        claims_supported: ['sub', 'iss', 'aud', 'iat', 'exp', 'auth_time', 'nonce'],
        jwks_uri: `${world.frontDoorUrl}/oauth2/openid-jwks`,
        response_modes_supported: ['query'],
        authorization_response_iss_parameter_supported: true,
        request_uri_parameter_supported: false,
      });
    });

    const silently = (app: SignInAppOnce, prompt: string, cookie?: string) =>
      browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(queryOf(app, { prompt }))}`, undefined, {
        ...(cookie && { cookie }),
      });

    it.each(['none', 'login none'])(
      'redirects back with login_required for prompt=%s when the browser has signed in to the app',
      async (prompt) => {
        const app = await appOf();
        const { cookie } = await visits(app);
        const { status, headers } = await silently(app, prompt, cookie);

        expect(status).toBe(303);
        const back = new URL(headers['location'] as string);
        expect(back.origin + back.pathname).toBe(BACK);
        expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'login_required', state: 'xyz', iss: world.frontDoorUrl });
      },
    );

    it.each(['none', 'login none'])(
      'shows for prompt=%s where the link leads when the browser has not signed in to the app',
      async (prompt) => {
        const [app, other] = [await appOf({ name: 'Un<b>known' }), await appOf()];
        const { cookie: ofOther } = await visits(other);

        for (const cookie of [undefined, ofOther, 'codase_signed_in_to=app', `codase_signed_in_to=${app.client_id}x`]) {
          const { status, headers, html } = await silently(app, prompt, cookie);

          expect([status, headers['location']]).toEqual([200, undefined]);
          expect(html).toContain('Un&lt;b&gt;known');
          expect(html).toMatch(
            /<a href="https:\/\/acme\.example\/back\?error=login_required&amp;state=xyz&amp;iss=[^"]+">Go back to acme\.example</,
          );
          expect(headers['set-cookie']).toBeUndefined();
        }
        const elsewhere = queryOf(app, { prompt, redirect_uri: 'https://evil.example' });
        expect((await browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(elsewhere)}`)).status).toBe(400);
      },
    );

    it("deletes the subjects with the person's account, and with the company's account", async () => {
      const person = await world.signsUp({ type: 'person', region: 'eu' });
      const company = await world.signsUp({ type: 'company', region: 'eu' });
      for (const visit of [await visits(await appOf(), person), await visits(await appOf({}, company))]) await exchanges(visit, visit.at);
      const subjects = sql`select from app_subject where user_id = ${person.user_id} or company_user_id = ${company.user_id}`;
      expect(await many(frontDoor, subjects)).toHaveLength(2);

      await execute(frontDoor, sql`delete from client where company_user_id = ${company.user_id}`);
      await execute(frontDoor, sql`delete from account where user_id in (${person.user_id}, ${company.user_id})`);

      expect(await many(frontDoor, subjects)).toEqual([]);
    });

    it('is audited with the person when the app revokes its token, and without an account when it is refused', async () => {
      const app = await appOf();
      const visit = await visits(app);
      const { access_token: token } = await exchanges(visit, visit.at);
      const { client_id, client_secret } = app;
      await world.stranger.asks(tokens.revokeToken, { body: { token, client_id, client_secret } });
      await expect(world.stranger.asks(tokens.listSessions, {}, { token })).rejects.toEqual(refused('auth.token_invalid', 401));

      const rows = () => many(frontDoor, sql`select act, account_id from audit.entry where object = ${claimsOf(token)['jti'] as string}`);
      const seen = await eventually(async () => ((await rows()).length > 1 ? rows() : undefined));
      expect(seen).toEqual(
        expect.arrayContaining([
          { act: 'token.revoked', account_id: ana.user_id },
          { act: 'token.refused', account_id: null },
        ]),
      );
    });

    it('gives a person one subject for all apps of a company, and another one for another company', async () => {
      const [one, two, other] = [await appOf(), await appOf(), await appOf({}, world.bolt)];
      const subjectIn = async (app: SignInAppOnce, person?: Person) => {
        const visit = await visits(app, person);
        return (await exchanges(visit, visit.at)).claims()!.sub;
      };

      const subject = await subjectIn(one);

      expect(await subjectIn(one)).toBe(subject);
      expect(await subjectIn(two)).toBe(subject);
      expect(await subjectIn(other)).not.toBe(subject);
      expect(await subjectIn(one, world.person('BEN'))).not.toBe(subject);
    });

    it('gives an access token that no endpoint accepts', async () => {
      const app = await appOf();
      const visit = await visits(app);
      const { access_token: token } = await exchanges(visit, visit.at);

      const forbidden = refused('auth.client_endpoint_forbidden', 403);
      for (const region of ['eu', 'us'] as const)
        await expect(world.stranger.asks(account.readProfile, {}, { at: world.regionUrl(region), token })).rejects.toEqual(forbidden);
      await expect(world.stranger.asks(services.listServices, { query: {} }, { at: world.regionUrl('eu'), token })).rejects.toEqual(
        forbidden,
      );
      await expect(world.stranger.asks(tokens.listSessions, {}, { token })).rejects.toEqual(forbidden);
    });

    it('shows the name of the app and its company, and the host of the redirect', async () => {
      const app = await appOf({ name: 'Acme <login>' });
      const { html, status } = await browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(queryOf(app))}`);

      expect(status).toBe(200);
      expect(html).toContain('Sign in to Acme &lt;login&gt;');
      expect(html).toContain('is an app of the company ACME');
      expect(html).toContain('Afterwards you are sent back to acme.example');
    });

    it('redirects back with access_denied when the person denies', async () => {
      const app = await appOf();
      const { location } = await world.stranger.asks(identity.authorize, { body: { ...queryOf(app), decision: 'deny' } });
      expect(Object.fromEntries(new URL(location).searchParams)).toEqual({ error: 'access_denied', state: 'xyz', iss: world.frontDoorUrl });
    });
  });

  describe('with claims', () => {
    it("returns the values that the phone sealed to the company's account key", async () => {
      const app = await appOf({ claims: [EMAIL] });
      const visit = await visits(app);
      expect(visit.at.origin + visit.at.pathname).toBe(`${world.frontDoorUrl}/oauth2/authorize/waiting`);
      const [waiting] = await ana.phone.signIns();
      expect(waiting).toEqual({
        id: expect.stringMatching(/^ses_/),
        app_name: 'Login',
        company_code: 'ACME',
        digits: expect.stringMatching(/^\d\d$/),
        claims: [SHOWN_EMAIL],
        claims_delivery: 'encrypted',
        public_key: world.acme.public_key,
        created_at: world.now.toISOString(),
        expires_at: new Date(world.now.getTime() + 600_000).toISOString(),
      });

      await gives({ email: await ana.sealsFor(waiting as never, 'ana@example.org') });
      const answer = await exchanges(visit, await goesOn(visit));

      const { email } = answer['claim_values'] as unknown as { email: string };
      expect(await world.acme.opens(email)).toBe('ana@example.org');
      expect(answer.claims()!.nonce).toBe(visit.checks.expectedNonce);
      expect(await ana.phone.signIns()).toEqual([]);
    });

    it('returns values in plaintext if the app says so, and stores and logs them nowhere', async () => {
      const heard = await BusRecorder.begin(...(await world.observers('platform')));
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      expect((await ana.phone.signIns())[0]).toMatchObject({ claims_delivery: 'plaintext', public_key: null });

      await gives({ email: 'plain-ana@example.org' });
      const back = await goesOn(visit);
      const stored = await everyRow(world.databaseUrl('front_door'));
      const answer = await exchanges(visit, back);

      expect(answer['claim_values']).toEqual({ email: 'plain-ana@example.org' });
      expect(heard.text()).toContain('answer_sign_in');
      for (const secret of ['plain-ana@example.org', codeIn(back)]) {
        expect(JSON.stringify(stored)).not.toContain(secret);
        expect(heard.text()).not.toContain(secret);
      }
      expect(await one(frontDoor, sql`select from app_sign_in`)).toBeUndefined();
    });

    it('shows a self-refreshing waiting page, and continues once the person has answered', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);

      const queryOf = { query: { sign_in: visit.at.searchParams.get('sign_in')! }, headers: { cookie: visit.cookie } };
      expect((await world.stranger.asks(identity.awaitPhone, queryOf)).html).toContain('on your phone');
      const waiting = await waits(visit);
      expect(waiting.html).toContain('http-equiv="refresh"');
      expect(waiting.html).toContain('Answer on your phone');
      expect(waiting.html).toContain(`<strong>${(await ana.phone.signIns())[0]!.digits}</strong>`);
      expect(String(await goesOn(visit))).toBe(String(visit.at));
      await gives({ email: 'ana@example.org' });
      const answered = await waits(visit);

      expect(answered.html).not.toContain('http-equiv="refresh"');
      expect(answered.html).toContain('You have answered');
      await exchanges(visit, await goesOn(visit));
    });

    it('returns the same code again when the button is pressed again, until the code is exchanged', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      await gives({ email: 'ana@example.org' });

      const [first, second] = await Promise.all([goesOn(visit), goesOn(visit)]);
      expect([String(second), String(await goesOn(visit))]).toEqual([String(first), String(first)]);
      await exchanges(visit, first);

      expect((await presses(visit)).status).toBe(400);
    });

    it("does not extend a code's lifetime when the button is pressed again", async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      await gives({ email: 'ana@example.org' });
      await goesOn(visit);

      await world.passes({ seconds: 40 });
      const at = await goesOn(visit);
      await world.passes({ seconds: 20 });

      await expect(redeems(app, { ...visit, at })).rejects.toEqual(invalidGrant);
    });

    it('stores its code in a cookie, not in a URL, so another browser cannot continue', async () => {
      const visit = await visits(await appOf({ claims: [EMAIL] }));
      const other = await visits(await appOf({ claims: [EMAIL] }));

      expect([...visit.at.searchParams.keys()]).toEqual(['sign_in']);
      for (const cookie of ['', other.cookie]) {
        expect((await waits({ ...visit, cookie })).status).toBe(400);
        expect((await presses({ ...visit, cookie })).status).toBe(400);
      }
      expect((await waits({ ...visit, cookie: `${other.cookie}; ${visit.cookie}` })).status).toBe(200);
    });

    it("informs the person's phones in any home region", async () => {
      for (const person of [ana, world.person('BEN')]) {
        const since = (await person.phone.polls()).last_event_id;
        await visits(await appOf({ claims: [EMAIL] }), person);

        const { id } = (await person.phone.signIns()).at(-1)!;
        const { events } = await person.phone.polls(since);
        expect(events).toEqual([{ id: expect.any(String), event: 'sign_in_waiting', data: { sign_in_id: id } }]);
      }
    });

    it('may omit a claim that is optional, and refuses to omit a required one', async () => {
      const phone = { slug: 'phone', label: 'Phone', type: 'phone', required: false };
      const app = await appOf({ claims: [EMAIL, phone], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      expect((await ana.phone.signIns()).at(-1)!.claims).toEqual([SHOWN_EMAIL, { ...phone, plugin: null }]);

      const invalid = refused('sign_ins.values_invalid', 400);
      await expect(gives({ phone: '+49 30 1234567' })).rejects.toEqual(invalid);
      await expect(gives({ email: 'ana@example.org', phone: '' })).rejects.toEqual(invalid);
      await gives({ email: 'ana@example.org' });

      expect((await exchanges(visit, await goesOn(visit)))['claim_values']).toEqual({ email: 'ana@example.org' });
    });

    it('shows each claim with its type, and the form again when the app has changed its claims', async () => {
      const app = await appOf({ claims: [{ slug: 'x', label: 'Nickname', type: 'email' }] });
      const page = `${world.frontDoorUrl}/oauth2/authorize`;
      const { html } = await browses(`${page}?${new URLSearchParams(queryOf(app))}`);
      expect(html).toContain('Nickname (email)');

      await world.acme.signInApps.changes(app.id, { redirect_uris: [BACK], claims_delivery: 'plaintext' });
      const again = await browses(page, { ...hiddenIn(html), email: ana.email, password: ana.password });

      expect(again.status).toBe(403);
      expect(again.html).toContain('has just changed what it asks for');
      expect(again.html).toContain('without its own encryption');
      const form = { ...hiddenIn(again.html), email: ana.email, password: ana.password };
      expect((await browses(page, form)).status).toBe(303);
    });

    it('is refused while the company has no account key to seal the values to', async () => {
      const company = await world.signsUp({ type: 'company', region: 'eu' });
      const app = await appOf({ claims: [EMAIL] }, company);
      await execute(frontDoor, sql`update account set public_key = null where user_id = ${company.user_id}`);

      await expect(world.stranger.asks(identity.beginAuthorization, { query: queryOf(app) })).rejects.toMatchObject({
        key: 'oauth.unauthorized_client',
        message: expect.stringContaining('no key'),
      });
      await expect(appOf({ claims: [EMAIL] }, company)).rejects.toMatchObject({ key: 'request.invalid' });
      await expect(company.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [EMAIL] })).rejects.toMatchObject({
        key: 'request.invalid',
      });
      await company.signInApps.changes(app.id, { redirect_uris: [BACK], claims_delivery: 'plaintext' });
      await expect(world.stranger.asks(identity.beginAuthorization, { query: queryOf(app) })).resolves.toBeDefined();
    });

    it('redirects back with access_denied when the person denies on the phone', async () => {
      const app = await appOf({ claims: [EMAIL] });
      const visit = await visits(app);

      await ana.phone.deniesSignIn((await ana.phone.signIns())[0]!.id);
      const back = await goesOn(visit);

      expect(back.searchParams.get('error')).toBe('access_denied');
      await expect(exchanges(visit, back)).rejects.toMatchObject({ error: 'access_denied' });
      await expect(redeems(app, { ...visit, at: withCode(visit) })).rejects.toEqual(invalidGrant);
    });

    it.each<[string, 'encrypted' | 'plaintext', Record<string, string>]>([
      ['without a value', 'plaintext', {}],
      ['with a value that nobody asked for', 'plaintext', { email: 'ana@example.org', phone: '1' }],
      ['with a value of another type', 'plaintext', { email: 'no address' }],
      ['with an empty value', 'plaintext', { email: '' }],
      ['with a value that is not sealed', 'encrypted', { email: 'ana@example.org' }],
      ['with values that are too long', 'plaintext', { email: `${'x'.repeat(600 * 1024)}@example.org` }],
      ['with a name of every object', 'plaintext', { constructor: 'x' }],
    ])('refuses an approval %s', async (_, claims_delivery, values) => {
      await visits(await appOf({ claims: [EMAIL], claims_delivery }));

      await expect(gives(values)).rejects.toMatchObject({
        status: 400,
        key: expect.stringMatching(/^(sign_ins.values_invalid|request.invalid)$/),
      });
      expect(await ana.phone.signIns()).toHaveLength(1);
    });

    it('is answered only by its person, once, and before it expires', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      await visits(app);
      const { id } = (await ana.phone.signIns())[0]!;
      const ben = world.person('BEN');
      expect(await ben.phone.signIns()).toEqual([]);
      await expect(ben.phone.approvesSignIn(id, { email: 'ben@example.org' })).rejects.toEqual(notFound);
      await expect(ben.phone.deniesSignIn(id)).rejects.toEqual(notFound);
      await expect(ana.phone.deniesSignIn('ses_unknown')).rejects.toEqual(notFound);

      const values = { email: 'ana@example.org' };
      const answers = await Promise.allSettled([
        ana.phone.approvesSignIn(id, values),
        ana.phone.deniesSignIn(id),
        ana.phone.deniesSignIn(id),
      ]);
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(ana.phone.approvesSignIn(id, values)).rejects.toEqual(notFound);

      const late = await visits(app);
      const next = (await ana.phone.signIns())[0]!;
      await world.passes({ minutes: 10 });
      expect(await ana.phone.signIns()).toEqual([]);
      await expect(ana.phone.approvesSignIn(next.id, values)).rejects.toEqual(notFound);
      expect((await waits(late)).html).toContain('oauth.invalid_request');
    });

    it('is pending at most five times per person, and the browser of the oldest is told that newer ones took its place', async () => {
      const app = await appOf({ claims: [EMAIL] });
      const all: Visit[] = [];
      for (let n = 0; n < 6; n++) {
        all.push(await visits(app));
        await world.passes({ seconds: 1 });
      }

      expect(await ana.phone.signIns()).toHaveLength(5);
      const { html } = await waits(all[0]!);
      expect(html).toContain('Newer sign-ins took the place of this one');
      expect(html).not.toContain('You have answered');
      expect((await goesOn(all[0]!)).searchParams.get('error')).toBe('access_denied');
    });

    it('has no exchangeable code before the person has answered', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const early = await visits(app);
      await expect(redeems(app, { ...early, at: withCode(early) })).rejects.toEqual(invalidGrant);

      const approved = await visits(app);
      await gives({ email: 'ana@example.org' });
      await expect(redeems(app, { ...approved, at: withCode(approved) })).rejects.toEqual(invalidGrant);
    });

    it('returns the claims that were requested at its start when the app changes meanwhile', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      await world.acme.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [{ ...EMAIL, slug: 'other' }] });

      await gives({ email: 'ana@example.org' });

      expect((await exchanges(visit, await goesOn(visit)))['claim_values']).toEqual({ email: 'ana@example.org' });
    });

    it('redirects nowhere when the app was deleted or lost the redirect URI meanwhile', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const [moved, deleted] = [await visits(app), await visits(app)];
      await gives({ email: 'ana@example.org' });
      await world.acme.signInApps.changes(app.id, { redirect_uris: ['https://other.example'] });
      expect((await waits(moved)).status).toBe(400);
      expect((await presses(deleted)).status).toBe(400);

      await world.acme.signInApps.deletes(app.id);
      expect(await ana.phone.signIns()).toEqual([]);
      expect((await waits(deleted)).status).toBe(400);
    });

    it('refuses a guessed waiting page, and a submit from another site', async () => {
      const page = await browses(`${world.frontDoorUrl}/oauth2/authorize/waiting?sign_in=guessed`);
      expect(page).toMatchObject({ status: 400, headers: { 'x-frame-options': 'DENY' } });
      const visit = await visits(await appOf({ claims: [EMAIL] }));
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const answer = await presses(visit, foreign);
      expect(answer.status).toBe(400);
      const guessed = { query: { sign_in: 'guessed' }, headers: {} };
      await expect(world.stranger.asks(identity.awaitPhone, guessed)).rejects.toEqual(refused('oauth.invalid_request', 400));
      await expect(world.stranger.asks(identity.continueSignIn, guessed)).rejects.toEqual(refused('oauth.invalid_request', 400));
    });
  });

  describe('attacks on a sign-in', () => {
    it.each([
      ['another path', `${BACK}/`],
      ['a longer host', 'https://acme.example.evil.example/back'],
      ['a user before the host', 'https://acme.example@evil.example/back'],
      ['another case', 'https://ACME.example/back'],
      ['a query', `${BACK}?x=1`],
      ['a fragment', `${BACK}#x`],
      ['a way up', `${BACK}/../back`],
      ['an encoding', 'https://acme.example/%62ack'],
      ['another scheme', 'http://acme.example/back'],
      ['another port', 'https://acme.example:444/back'],
    ])('does not redirect to a redirect URI that differs by %s', async (_, redirect_uri) => {
      const app = await appOf();
      const page = await browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(queryOf(app, { redirect_uri }))}`);

      expect(page.status).toBe(400);
      expect(page.headers['location']).toBeUndefined();
      await expect(
        world.stranger.asks(identity.authorize, { body: { ...queryOf(app, { redirect_uri }), email: ana.email, password: ana.password } }),
      ).rejects.toEqual(refused('oauth.invalid_request', 400));
    });

    it('requires PKCE with S256', async () => {
      const app = await appOf();
      const { code_challenge: _, code_challenge_method: __, ...without } = queryOf(app);
      await expect(world.stranger.asks(identity.beginAuthorization, { query: without })).rejects.toEqual(
        refused('oauth.invalid_request', 400),
      );
      await expect(
        world.stranger.asks(identity.beginAuthorization, { query: queryOf(app, { code_challenge_method: 'plain' }) as never }),
      ).rejects.toEqual(refused('oauth.invalid_request', 400));

      const visit = await visits(app);
      const { code_verifier } = proof();
      await expect(redeems(app, visit, { code_verifier })).rejects.toEqual(invalidGrant);
      await expect(redeems(app, visit)).rejects.toEqual(invalidGrant);
    });

    it('refuses a code from another app, without the secret or with another redirect URI', async () => {
      const [app, own, theirs] = [await appOf(), await appOf(), await appOf({}, world.bolt)];
      for (const other of [own, theirs]) {
        const visit = await visits(app);
        await expect(redeems(other, visit)).rejects.toEqual(invalidGrant);
        await expect(redeems(app, visit)).resolves.toBeDefined();
      }
      const visit = await visits(app);
      await expect(redeems({ ...app, client_secret: 'guessed' }, visit)).rejects.toEqual(refused('oauth.invalid_client', 401));
      await expect(redeems(app, visit, { redirect_uri: `${BACK}/` })).rejects.toEqual(invalidGrant);
      await expect(redeems(app, visit)).resolves.toBeDefined();
    });

    it('exchanges a code once, also concurrently, and ends its tokens when the code is reused', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      await gives({ email: 'ana@example.org' });
      const at = await goesOn(visit);

      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => redeems(app, { ...visit, at })));

      const given = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.access_token] : []));
      expect(given).toHaveLength(1);
      await expect(redeems(app, { ...visit, at })).rejects.toEqual(invalidGrant);
      for (const token of given)
        await expect(world.stranger.asks(tokens.listSessions, {}, { token })).rejects.toEqual(refused('auth.token_invalid', 401));
    });

    it('refuses a code that is a minute old', async () => {
      const app = await appOf({ claims: [EMAIL], claims_delivery: 'plaintext' });
      const visit = await visits(app);
      await gives({ email: 'ana@example.org' });
      const at = await goesOn(visit);

      await world.passes({ seconds: 60 });

      await expect(redeems(app, { ...visit, at })).rejects.toEqual(invalidGrant);
    });

    it('refuses companies and disabled accounts', async () => {
      const app = await appOf();
      const denied = refused('oauth.access_denied', 403);
      const signsIn = ({ email, password }: { email: string; password: string }) =>
        world.stranger.asks(identity.authorize, { body: { ...queryOf(app), email, password } });
      await expect(signsIn(world.acme)).rejects.toEqual(denied);
      await expect(signsIn(world.bolt)).rejects.toEqual(denied);

      const person = await world.signsUp({ type: 'person', region: 'eu' });
      const visit = await visits(app, person);
      const operator = await world.operator('platform');
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: person.user_id, disabled: true });
      await expect(signsIn(person)).rejects.toEqual(denied);
      await expect(redeems(app, visit)).rejects.toEqual(invalidGrant);
    });

    it('ends codes and tokens when the app is deleted or its secret is regenerated', async () => {
      const [app, renewed] = [await appOf(), await appOf()];
      const [deleted, before, pending] = [await visits(app), await visits(renewed), await visits(renewed)];
      const { access_token: token } = await exchanges(before, before.at);
      const { access_token: other } = await exchanges(deleted, deleted.at);
      await world.acme.signInApps.deletes(app.id);
      const fresh = await world.acme.signInApps.regeneratesSecret(renewed.id);

      for (const one of [token, other])
        await expect(world.stranger.asks(tokens.listSessions, {}, { token: one })).rejects.toMatchObject({ status: 401 });
      await expect(redeems({ ...renewed, ...fresh }, pending)).rejects.toEqual(invalidGrant);
      await expect(world.stranger.asks(identity.beginAuthorization, { query: queryOf(app) })).rejects.toEqual(
        refused('oauth.invalid_client', 401),
      );
    });

    it('refuses an app of a disabled company', async () => {
      const company = await world.signsUp({ type: 'company', region: 'eu' });
      const app = await appOf({ claims: [EMAIL] }, company);
      const visit = await visits(app);
      const operator = await world.operator('platform');
      await operator.request(OPERATOR.setAccountDisabled, {}, { user_id: company.user_id, disabled: true });

      expect(await ana.phone.signIns()).toEqual([]);
      await expect(world.stranger.asks(identity.beginAuthorization, { query: queryOf(app) })).rejects.toEqual(
        refused('oauth.invalid_client', 401),
      );
      await expect(redeems(app, visit)).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    });
  });
});
