import { account, identity, OPERATOR, type Refusal } from '@codase/contracts';
import { World, type User } from '@codase/testing';
import { browses, CALLBACK, claimsOf, codeFor, crm, phone, portal, proof, signIn, withRedirect } from '../../support/oauth-visitor.ts';

describe('sign-in @spec D1-4.1 @spec D1-5.5', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    await withRedirect(world, world.shop);
    await withRedirect(world, world.automation);
  });
  afterAll(() => world?.close());

  const queryOf = (over: Record<string, string> = {}) => ({
    client_id: world.automation.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'xyz',
    code_challenge: proof().code_challenge,
    code_challenge_method: 'S256' as const,
    ...over,
  });
  const credentials = ({ email, password }: User = world.acme) => ({ email, password });
  const address = (query: Record<string, string>) => `${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(query)}`;

  describe('the user who signs in', () => {
    it.each(['ANA', 'BEN'])('gets tokens for the home region as a person on the phone: %s', async (share_code) => {
      const person = world.person(share_code);
      const { access_token, api_url, refresh_token } = await signIn(phone(world), person, world.stranger);

      expect(api_url).toBe(world.regionUrl(person.region as 'eu' | 'us'));
      expect(refresh_token).toMatch(/^[\w-]{43}$/);
      expect(claimsOf(access_token)).toMatchObject({ sub: person.user_id, client_id: 'app_person', sid: expect.stringMatching(/^ses_/) });
      expect(await world.stranger.asks(account.readProfile, {}, { at: api_url!, token: access_token })).toMatchObject({
        user_id: person.user_id,
      });
    });

    it('gets tokens for the home region as a company at the portal', async () => {
      const { access_token, api_url } = await signIn(portal(world), world.bolt, world.stranger);

      expect(api_url).toBe(world.regionUrl('us'));
      expect(await world.stranger.asks(account.readProfile, {}, { at: api_url!, token: access_token })).toMatchObject({
        user_id: world.bolt.user_id,
      });
    });

    it("gets a token that carries the company when signing in through the company's account client", async () => {
      const { access_token, api_url } = await signIn(crm(world.automation), world.acme, world.stranger);

      expect(api_url).toBe(world.regionUrl('eu'));
      expect(claimsOf(access_token)).toMatchObject({ sub: world.acme.user_id, client_id: world.automation.client_id });
    });

    it('is redirected with the code, the state and the issuer, after the query that the redirect URI already has', async () => {
      const redirect_uri = `${CALLBACK}?tenant=7`;
      await withRedirect(world, world.boltAutomation, redirect_uri);

      const { location } = await world.stranger.asks(identity.authorize, {
        body: { ...queryOf(), client_id: world.boltAutomation.client_id, redirect_uri, state: 'a&b=c', ...credentials(world.bolt) },
      });

      expect(location.startsWith(`${redirect_uri}&code=`)).toBe(true);
      expect(Object.fromEntries(new URL(location).searchParams)).toEqual({
        tenant: '7',
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: 'a&b=c',
        iss: world.frontDoorUrl,
      });
    });

    it('is redirected without a code after denying, even without credentials', async () => {
      const { location } = await world.stranger.asks(identity.authorize, { body: { ...queryOf(), decision: 'deny' } });

      expect(Object.fromEntries(new URL(location).searchParams)).toEqual({ error: 'access_denied', state: 'xyz', iss: world.frontDoorUrl });
    });

    it.each([
      ['a wrong password', 'acct_demo', () => ({ email: world.acme.email, password: 'guessed wrong' })],
      ['an unknown account', 'acct_demo', () => ({ email: 'nobody@demo.example', password: world.acme.password })],
      ['nothing typed', 'acct_demo', () => ({ email: '', password: '' })],
      ["another company with somebody's client", 'acct_demo', () => credentials(world.bolt)],
      ['a person with a client of a company', 'acct_demo', () => credentials(world.person('ANA'))],
    ])('is refused with %s @gap D1-5.5', async (_, client_id, given) => {
      await expect(world.stranger.asks(identity.authorize, { body: { ...queryOf({ client_id }), ...given() } })).rejects.toMatchObject({
        key: 'oauth.access_denied',
        status: 403,
      });
    });

    it('is refused as a person at the portal, and as a company on the phone', async () => {
      await expect(codeFor(portal(world), world.person('ANA'), world.stranger)).rejects.toMatchObject({ key: 'oauth.access_denied' });
      await expect(codeFor(phone(world), world.acme, world.stranger)).rejects.toMatchObject({ key: 'oauth.access_denied' });
    });

    it('can write the e-mail address in upper or lower case', async () => {
      await expect(
        codeFor(portal(world), { ...credentials(), email: world.acme.email.toUpperCase() }, world.stranger),
      ).resolves.toBeDefined();
    });
  });

  describe('the authorization request of a client', () => {
    const refusals: [string, Record<string, string>, string, number][] = [
      ['an unknown client', { client_id: 'acct_nobody' }, 'oauth.invalid_client', 401],
      ['another address', { redirect_uri: `${CALLBACK}/` }, 'oauth.invalid_request', 400],
      ['an address that only begins the same', { redirect_uri: `${CALLBACK}.evil.example` }, 'oauth.invalid_request', 400],
      ['another response type', { response_type: 'token' }, 'oauth.unsupported_response_type', 400],
      ['a challenge that is none', { code_challenge: 'short' }, 'oauth.invalid_request', 400],
      ['a plain challenge', { code_challenge_method: 'plain' }, 'oauth.invalid_request', 400],
      ['detached without enrolment', { response_mode: 'detached' }, 'oauth.invalid_request', 400],
      ['enrolment without a service', { mode: '2fa_enroll' }, 'oauth.unauthorized_client', 400],
      ['a mode nobody knows', { mode: 'sudo' }, 'oauth.invalid_request', 400],
    ];

    it.each(refusals)('is refused with %s, and the browser is not redirected', async (_, over, key, status) => {
      const query = { ...queryOf(), ...over } as ReturnType<typeof queryOf>;

      await expect(world.stranger.asks(identity.beginAuthorization, { query })).rejects.toMatchObject({ key, status });
      await expect(world.stranger.asks(identity.authorize, { body: { ...query, ...credentials() } })).rejects.toMatchObject({
        key,
        status,
      });
      const page = await browses(address(query));
      expect(page).toMatchObject({ status, headers: { 'content-type': 'text/html; charset=utf-8', 'x-frame-options': 'DENY' } });
      expect(page.headers['location']).toBeUndefined();
      expect(page.html).toContain(key);
    });

    it.each(['client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'] as const)('is refused without %s', async (name) => {
      const { [name]: _, ...query } = queryOf();

      await expect(world.stranger.asks(identity.beginAuthorization, { query: query as ReturnType<typeof queryOf> })).rejects.toMatchObject({
        key: 'oauth.invalid_request',
      });
    });

    const faulty = (over: Record<string, string | undefined>) =>
      Object.fromEntries(Object.entries({ ...queryOf(), ...over }).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const FAULTS: [string, Record<string, string | undefined>, string][] = [
      ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['with a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
      ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['for another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ];

    it.each(FAULTS)(
      'goes back to the client as an OAuth error when it is %s, once client and address are proven',
      async (_, over, error) => {
        const { client_id, redirect_uri } = portal(world);
        const { status, headers } = await browses(address(faulty({ client_id, redirect_uri, ...over })));

        expect(status).toBe(303);
        const back = new URL(headers['location'] as string);
        expect(back.origin + back.pathname).toBe(redirect_uri);
        const parameters = { error, error_description: expect.stringMatching(/./), state: 'xyz', iss: world.frontDoorUrl };
        expect(Object.fromEntries(back.searchParams)).toEqual(parameters);
        expect(await browses(address(faulty({ client_id, redirect_uri: 'https://evil.example', ...over })))).toMatchObject({ status: 400 });
      },
    );

    it.each(FAULTS)('that is faulty shows the way back to a browser that has not signed in to the client: %s', async (_, over, error) => {
      const { status, headers, html } = await browses(address(faulty(over)));

      expect([status, headers['location']]).toEqual([400, undefined]);
      expect(html).toContain(`<a href="${CALLBACK}?error=${error}&amp;error_description=`);
    });

    it('is refused for a client without a redirect URI', async () => {
      const query = queryOf({ client_id: world.boltShop.client_id });

      await expect(world.stranger.asks(identity.beginAuthorization, { query })).rejects.toMatchObject({
        key: 'oauth.unauthorized_client',
        status: 400,
      });
    });

    it('is refused by a region with the address of the front door', async () => {
      await expect(
        world.stranger.asks(identity.beginAuthorization, { query: queryOf() }, { at: world.regionUrl('eu') }),
      ).rejects.toMatchObject({ key: 'region.rebase_required', extras: { api_url: world.frontDoorUrl } });
    });
  });

  describe('the sign-in page', () => {
    it('names the client and says in plain words what it may do', async () => {
      const { html, headers } = await browses(address(queryOf()));

      expect(html).toContain('acct_demo</strong> can:');
      expect(html).toContain('Manage delegates and hand them the keys of services');
      expect(html).toContain('sent back to crm.example');
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; .*; form-action 'self' https:\/\/crm\.example$/),
        'referrer-policy': 'no-referrer',
      });
    });

    it('asks for no consent to a first-party app', async () => {
      const { html } = await browses(address({ ...queryOf(), ...portal(world) }));

      expect(html).toContain('<h1>Sign in</h1>');
      expect(html).not.toContain('can:');
    });

    it('returns after a wrong password with everything filled in except the password', async () => {
      const page = await browses(address({}), { ...queryOf(), email: 'acme@demo.example', password: 'guessed wrong' });

      expect(page.status).toBe(403);
      expect(page.html).toContain('role="alert"');
      expect(page.html).toContain('value="acme@demo.example"');
      expect(page.html).toContain('name="state" value="xyz"');
      expect(page.html).not.toContain('guessed wrong');
    });

    it('shows untrusted input as text, never as markup', async () => {
      const { html } = await browses(address({}), {
        ...queryOf(),
        state: '"><script>alert(1)</script>',
        email: "'><img src=x>",
        password: 'x',
      });

      expect(html).not.toMatch(/<script|<img/);
      expect(html).toContain('&quot;&gt;&lt;script&gt;');
    });

    it.each([
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling of ours', { 'sec-fetch-site': 'same-site' }],
      ['an older browser on another site', { origin: 'https://evil.example' }],
    ])('cannot be submitted by %s', async (_, headers) => {
      const page = await browses(address({}), { ...queryOf(), ...credentials() }, headers);

      expect(page.status).toBe(400);
      expect(page.html).toContain('another site');
    });

    it('can be submitted by itself', async () => {
      const page = await browses(
        address({}),
        { ...queryOf(), ...credentials() },
        { 'sec-fetch-site': 'same-origin', origin: world.frontDoorUrl },
      );

      expect(page.status).toBe(303);
      expect(page.headers['location']).toMatch(/^https:\/\/crm\.example\/callback\?code=/);
    });
  });

  describe('sign-in while a region is paused or out of order', () => {
    const setMode = async (mode: { writes_paused?: boolean; out_of_order?: boolean }) =>
      (await world.operator('platform')).request(OPERATOR.setMode, {}, { region: 'eu', ...mode });
    const codes = () => codeFor(crm(world.automation), world.acme, world.stranger);
    afterEach(() => setMode({ writes_paused: false, out_of_order: false }));

    it('is possible while writes are paused @gap D1-7', async () => {
      await setMode({ writes_paused: true });

      await expect(codes()).resolves.toBeDefined();
    });

    it('is refused while the region is out of order, with either kind of client @spec D1-7', async () => {
      await setMode({ out_of_order: true });

      await expect(world.stranger.asks(identity.beginAuthorization, { query: queryOf() })).rejects.toMatchObject({
        key: 'platform.out_of_order',
        status: 503,
        retryAfter: 300,
      });
      await expect(codes()).rejects.toMatchObject({ key: 'platform.out_of_order' });
      await expect(codeFor(portal(world), world.acme, world.stranger)).rejects.toMatchObject({ key: 'platform.out_of_order' });
      await expect(codeFor(portal(world), world.bolt, world.stranger)).resolves.toBeDefined();
    });
  });
});

describe('guessing credentials @gap D1-8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'], limits: 'real' });
  });
  afterAll(() => world?.close());

  it('is throttled for passwords', async () => {
    const guesses = Array.from({ length: 32 }, (_, i) =>
      codeFor(phone(world), { email: 'ana@demo.example', password: `guess ${i}` }, world.stranger).catch(
        (error: { key: string }) => error.key,
      ),
    );

    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['oauth.access_denied', 'rate_limit.exceeded']));
  });

  it('is throttled for tokens, while a valid token is still accepted', async () => {
    const asks = async (token: string) => {
      const refusal = (await world.stranger.asks(account.readProfile, {}, { token }).catch((error: unknown) => error)) as Refusal;
      return { key: refusal.key, retryAfter: refusal.retryAfter };
    };
    const refused = [];
    for (let nth = 0; nth < 22; nth++) refused.push(await asks(`guess-${nth}`));

    expect(refused.filter(({ key }) => key === 'auth.token_invalid')).toHaveLength(20);
    expect(refused.at(-1)).toEqual({ key: 'rate_limit.exceeded', retryAfter: 2 });
    const { user_id } = world.person('ANA');
    expect(await asks(await world.mints({ client_id: 'app_person', sub: user_id }))).toMatchObject({ key: 'region.rebase_required' });
  });
});
