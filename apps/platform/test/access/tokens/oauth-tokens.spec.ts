import { account, accountClients, companyData, OPERATOR, tokens } from '@codase/contracts';
import { comesTrue, World } from '@codase/testing';
import { CALLBACK, claimsOf, codeFor, crm, phone, portal, proof, refresh, signIn, withRedirect } from '../../support/oauth-visitor.ts';

const INVALID_GRANT = { key: 'oauth.invalid_grant', status: 400 };

describe('tokens of a sign-in @spec D1-2.2 @spec D1-4.1 @spec D1-5.4', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    await withRedirect(world, world.automation);
    await withRedirect(world, world.boltAutomation);
  });
  afterAll(() => world?.close());

  const redeems = (body: Awaited<ReturnType<typeof codeFor>>) => world.stranger.asks(tokens.issueToken, { body });
  const acmeCode = () => codeFor(crm(world.automation), world.acme, world.stranger);
  const acmeSignsIn = () => signIn(crm(world.automation), world.acme, world.stranger);
  const anaSignsIn = () => signIn(phone(world), world.person('ANA'), world.stranger);
  const readsProfile = (token: string, at = world.regionUrl('eu')) => world.stranger.asks(account.readProfile, {}, { at, token });
  const isOver = { key: 'auth.token_invalid', status: 401 };

  describe('an authorization code', () => {
    it.each([
      ['another address', () => ({ redirect_uri: `${CALLBACK}/` }), INVALID_GRANT],
      ['another client', () => ({ ...crm(world.boltAutomation) }), INVALID_GRANT],
      ['a wrong secret', () => ({ client_secret: 'wrong' }), { key: 'oauth.invalid_client', status: 401 }],
      ['no secret', () => ({ client_secret: undefined }), { key: 'oauth.invalid_client', status: 401 }],
      ['no verifier', () => ({ code_verifier: undefined }), { key: 'oauth.invalid_request', status: 400 }],
      ['a verifier that is none', () => ({ code_verifier: 'short' }), { key: 'oauth.invalid_request', status: 400 }],
      ['no address', () => ({ redirect_uri: undefined }), { key: 'oauth.invalid_request', status: 400 }],
      ['no code', () => ({ code: undefined }), { key: 'oauth.invalid_request', status: 400 }],
      ['another code', () => ({ code: proof().code_verifier }), INVALID_GRANT],
    ])('is refused with %s, and remains redeemable', async (_, wrong, refused) => {
      const body = await acmeCode();
      const given = Object.fromEntries(Object.entries({ ...body, ...wrong() }).filter(([, value]) => value !== undefined)) as typeof body;

      await expect(redeems(given)).rejects.toMatchObject(refused);
      await expect(redeems(body)).resolves.toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    });

    it('is used up by a wrong verifier, unless another client sent it @gap D1-4.1', async () => {
      const [body, ofOthers] = [await acmeCode(), await acmeCode()];
      const { code_verifier } = proof();

      await expect(redeems({ ...ofOthers, ...crm(world.boltAutomation), code_verifier })).rejects.toMatchObject(INVALID_GRANT);
      await expect(redeems(ofOthers)).resolves.toMatchObject({ token_type: 'Bearer' });
      await expect(redeems({ ...body, code_verifier })).rejects.toMatchObject(INVALID_GRANT);
      await expect(redeems(body)).rejects.toMatchObject(INVALID_GRANT);
    });

    it('expires after a minute @gap D1-8', async () => {
      const [early, late] = [await acmeCode(), await acmeCode()];
      await world.passes({ seconds: 59 });
      await expect(redeems(early)).resolves.toBeDefined();

      await world.passes({ seconds: 1 });
      await expect(redeems(late)).rejects.toMatchObject(INVALID_GRANT);
    });

    it('ends the session it began when it is redeemed twice', async () => {
      const body = await codeFor(phone(world), world.person('ANA'), world.stranger);
      const { access_token, refresh_token } = await redeems(body);
      await expect(readsProfile(access_token)).resolves.toBeDefined();

      await expect(redeems(body)).rejects.toMatchObject(INVALID_GRANT);

      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).rejects.toMatchObject(INVALID_GRANT);
      await comesTrue(() => expect(readsProfile(access_token)).rejects.toMatchObject(isOver));
    });

    it('is redeemed by only one of thirty concurrent requests', async () => {
      const body = await acmeCode();

      expect(await howManyWin(() => redeems(body))).toBe(1);
    });

    it('is redeemed only at the front door, and a region answers 421 even if parameters are missing @spec D1-5.6 @spec D1-4.1', async () => {
      const body = await acmeCode();

      const { code: _code, ...withoutCode } = body;
      const { code_verifier: _verifier, ...withoutVerifier } = body;
      for (const form of [body, withoutCode, withoutVerifier])
        await expect(world.stranger.asks(tokens.issueToken, { body: form }, { at: world.regionUrl('eu') })).rejects.toMatchObject({
          key: 'region.rebase_required',
          status: 421,
          extras: { api_url: world.frontDoorUrl },
        });
      await expect(redeems(body)).resolves.toBeDefined();
    });
  });

  describe('a refresh token', () => {
    const refreshes = (refresh_token: string | undefined, at = world.frontDoorUrl) =>
      world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!), { at });

    it('rotates on use, at the front door and in a region, whose answer has no api_url', async () => {
      const first = await anaSignsIn();
      const second = await refreshes(first.refresh_token);
      const third = await refreshes(second.refresh_token, world.regionUrl('eu'));

      expect(new Set([first, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3);
      expect(second.api_url).toBe(world.regionUrl('eu'));
      expect(third.api_url).toBeUndefined();
      expect(claimsOf(third.access_token)['sid']).toBe(claimsOf(first.access_token)['sid']);
      await expect(readsProfile(third.access_token)).resolves.toMatchObject({ user_id: world.person('ANA').user_id });
    });

    it('ends the whole session at every base when it is used again after ten seconds', async () => {
      const first = await anaSignsIn();
      const second = await refreshes(first.refresh_token);
      await world.passes({ seconds: 10 });

      await expect(refreshes(first.refresh_token, world.regionUrl('eu'))).rejects.toMatchObject(INVALID_GRANT);

      await expect(refreshes(second.refresh_token)).rejects.toMatchObject(INVALID_GRANT);
      for (const { access_token } of [first, second])
        await comesTrue(() => expect(readsProfile(access_token)).rejects.toMatchObject(isOver));
    });

    it('returns the same successor at every base when it is used again within ten seconds @gap D1-8', async () => {
      const first = await anaSignsIn();
      const lost = await refreshes(first.refresh_token, world.regionUrl('eu'));
      await world.passes({ seconds: 9 });

      const repeated = await refreshes(first.refresh_token);
      expect(repeated.refresh_token).toBe(lost.refresh_token);
      expect(await refreshes(first.refresh_token, world.regionUrl('eu'))).toMatchObject({ refresh_token: lost.refresh_token });
      await expect(readsProfile(repeated.access_token)).resolves.toBeDefined();
      await expect(refreshes(repeated.refresh_token)).resolves.toBeDefined();
    });

    it('is not repeated for another client, nor after its successor was used', async () => {
      const first = await anaSignsIn();
      const second = await refreshes(first.refresh_token);
      const other = world.stranger.asks(tokens.issueToken, refresh(portal(world), first.refresh_token!));
      await expect(other).rejects.toMatchObject(INVALID_GRANT);
      const third = await refreshes(second.refresh_token);

      await expect(refreshes(first.refresh_token)).rejects.toMatchObject(INVALID_GRANT);
      await expect(refreshes(third.refresh_token)).rejects.toMatchObject(INVALID_GRANT);
    });

    it('has one successor after thirty concurrent requests at two bases', async () => {
      const { refresh_token } = await anaSignsIn();
      let turn = 0;
      const brings = () => refreshes(refresh_token, turn++ % 2 ? world.regionUrl('eu') : world.frontDoorUrl);

      const answers = await Promise.all(Array.from({ length: 30 }, brings));
      expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    });

    it('extends a session to at most ninety days @gap D1-8', async () => {
      let { refresh_token } = await anaSignsIn();
      for (let days = 0; days < 87; days += 29) {
        await world.passes({ hours: 29 * 24 });
        ({ refresh_token } = await refreshes(refresh_token));
      }
      await world.passes({ hours: 3 * 24 - 1 });
      ({ refresh_token } = await refreshes(refresh_token));
      await world.passes({ hours: 1 });

      await expect(refreshes(refresh_token)).rejects.toMatchObject(INVALID_GRANT);
    });

    it('expires thirty days after its last use @gap D1-8', async () => {
      const { refresh_token } = await anaSignsIn();
      await world.passes({ hours: 30 * 24 - 1 });
      const next = await refreshes(refresh_token);
      await world.passes({ hours: 30 * 24 });

      await expect(refreshes(next.refresh_token)).rejects.toMatchObject(INVALID_GRANT);
    });

    it('is refused to another client or without the secret, and remains valid', async () => {
      const { refresh_token } = await acmeSignsIn();
      const { client_id } = world.automation;
      const asks = (body: object) =>
        world.stranger.asks(tokens.issueToken, { body: { grant_type: 'refresh_token', refresh_token, ...body } as never });

      await expect(asks({ client_id: 'app_person' })).rejects.toMatchObject(INVALID_GRANT);
      await expect(asks({ client_id })).rejects.toMatchObject({ key: 'oauth.invalid_client' });
      await expect(asks({ ...crm(world.automation), refresh_token: undefined })).rejects.toMatchObject({
        key: expect.stringMatching(/^oauth\.invalid_/),
      });
      await expect(asks({ ...crm(world.automation) })).resolves.toBeDefined();
    });

    it('is a required parameter', async () => {
      await expect(
        world.stranger.asks(tokens.issueToken, { body: { grant_type: 'refresh_token', client_id: 'app_person' } }),
      ).rejects.toMatchObject({ key: 'oauth.invalid_request' });
    });
  });

  it('are refused at every base to a data client whose company is below the level basic @spec D1-4.5 @gap D1-4.5', async () => {
    await withRedirect(world, world.shop);
    const { client_id, client_secret, company_user_id } = world.shop;
    const operator = await world.operator('platform');
    const setLevel = (level: 'free' | 'pro') => operator.request(OPERATOR.setLevel, {}, { user_id: company_user_id, level });
    const asks = (at?: string) =>
      world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } }, at ? { at } : {});
    const { access_token } = await asks();
    const ofSignIn = await signIn(crm(world.shop), world.acme, world.stranger);
    await setLevel('free');

    const refused = { key: 'account.level_required', status: 403, message: expect.stringContaining('basic') };
    await comesTrue(() => expect(asks()).rejects.toMatchObject(refused));
    await comesTrue(() => expect(asks(world.regionUrl('eu'))).rejects.toMatchObject(refused));
    const refreshed = world.stranger.asks(tokens.issueToken, refresh(crm(world.shop), ofSignIn.refresh_token!));
    await expect(refreshed).rejects.toMatchObject(refused);
    const answer = await fetch(`${world.frontDoorUrl}${tokens.issueToken.path}`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: client_secret! }),
    });
    expect(await answer.json()).toEqual({
      error: 'unauthorized_client',
      error_description: expect.stringContaining('basic'),
      error_key: 'account.level_required',
    });
    // A token that was issued before works until it ends, and the company's other clients are not affected.
    const whoami = () => world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token: access_token });
    await expect(whoami()).resolves.toMatchObject({ company_user_id });
    await expect(world.automation.getsToken()).resolves.toBeDefined();

    await setLevel('pro');
    await comesTrue(() => expect(asks(world.regionUrl('eu'))).resolves.toBeDefined());
    await expect(world.stranger.asks(tokens.issueToken, refresh(crm(world.shop), ofSignIn.refresh_token!))).resolves.toBeDefined();
  });

  describe('a public client', () => {
    it('gets no token by client_credentials', async () => {
      await expect(
        world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id: 'app_portal' } }),
      ).rejects.toMatchObject({ key: 'oauth.unauthorized_client', status: 400 });
    });

    it('is refused when it sends a secret', async () => {
      const body = await codeFor(portal(world), world.acme, world.stranger);

      await expect(redeems({ ...body, client_secret: 'made up' })).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    });
  });

  it("end when the client's secret is regenerated @spec D1-5.1", async () => {
    const { client_id, client_secret } = await world.acme.asks(accountClients.createAccountClient, {
      body: { name: 'CRM', capabilities: [], redirect_uri: CALLBACK },
    });
    const app = { client_id, client_secret, redirect_uri: CALLBACK };
    const { access_token, refresh_token } = await signIn(app, world.acme, world.stranger);
    const waiting = await codeFor(app, world.acme, world.stranger);

    const { client_secret: next } = await world.acme.asks(accountClients.regenerateAccountSecret, { params: { id: client_id } });

    await comesTrue(() => expect(readsProfile(access_token)).rejects.toMatchObject(isOver));
    await expect(world.stranger.asks(tokens.issueToken, refresh({ ...app, client_secret: next }, refresh_token!))).rejects.toMatchObject(
      INVALID_GRANT,
    );
    await expect(redeems({ ...waiting, client_secret: next })).rejects.toMatchObject(INVALID_GRANT);
  });

  describe('revocation by the client @gap D1-4.1', () => {
    const revokes = (body: { token: string; client_id?: string; client_secret?: string; token_type_hint?: string }) =>
      world.stranger.asks(tokens.revokeToken, { body });

    it('ends the whole session when the token is a refresh token', async () => {
      const { access_token, refresh_token } = await anaSignsIn();

      expect(await revokes({ token: refresh_token!, client_id: 'app_person' })).toEqual({});

      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).rejects.toMatchObject(INVALID_GRANT);
      await comesTrue(() => expect(readsProfile(access_token)).rejects.toMatchObject(isOver));
    });

    it('ends only the access token when the token is one, also with a wrong hint', async () => {
      const { access_token, refresh_token } = await anaSignsIn();
      await revokes({ token: access_token, token_type_hint: 'refresh_token', client_id: 'app_person' });

      await comesTrue(() => expect(readsProfile(access_token)).rejects.toMatchObject(isOver));
      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).resolves.toBeDefined();
    });

    it('succeeds without effect for an unknown token or one of another client', async () => {
      const { access_token, refresh_token } = await anaSignsIn();
      const { client_id, client_secret } = world.automation;
      for (const token of [access_token, refresh_token!, 'never was'])
        expect(await revokes({ token, client_id, client_secret })).toEqual({});

      await expect(readsProfile(access_token)).resolves.toBeDefined();
      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).resolves.toBeDefined();
    });

    it.each([
      ['a wrong secret', { token: 'x', client_id: 'acct_demo', client_secret: 'wrong' }, 'oauth.invalid_client'],
      ['no client', { token: 'x' }, 'oauth.invalid_client'],
      ['no token', { client_id: 'app_person' } as never, 'oauth.invalid_request'],
    ])('is refused with %s', async (_, body, key) => {
      await expect(revokes(body)).rejects.toMatchObject({ key });
    });

    it('works while a region is paused or out of order @gap D1-7', async () => {
      const [paused, rebuilt] = [await anaSignsIn(), await anaSignsIn()];
      await setMode({ writes_paused: true });
      expect(await revokes({ token: paused.refresh_token!, client_id: 'app_person' })).toEqual({});
      await comesTrue(() => expect(readsProfile(paused.access_token)).rejects.toMatchObject(isOver));

      await setMode({ out_of_order: true });
      expect(await revokes({ token: rebuilt.refresh_token!, client_id: 'app_person' })).toEqual({});
      await setMode({ writes_paused: false, out_of_order: false });
      await comesTrue(() => expect(readsProfile(rebuilt.access_token)).rejects.toMatchObject(isOver));
    });
  });

  const setMode = async (mode: { writes_paused?: boolean; out_of_order?: boolean }) => {
    await (await world.operator('platform')).request(OPERATOR.setMode, {}, { region: 'eu', ...mode });
  };

  describe('in a region that is paused or out of order', () => {
    afterEach(() => setMode({ writes_paused: false, out_of_order: false }));

    it('tokens are issued as usual while writes are paused @spec D1-7', async () => {
      const { refresh_token } = await anaSignsIn();
      await setMode({ writes_paused: true });

      await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).resolves.toBeDefined();
      await expect(world.automation.getsToken()).resolves.toBeDefined();
    });

    it('only clients get tokens while it is out of order, and codes and refresh tokens remain valid @spec D1-7', async () => {
      const { refresh_token } = await anaSignsIn();
      const body = await acmeCode();
      await setMode({ out_of_order: true });
      const outOfOrder = { key: 'platform.out_of_order', status: 503, retryAfter: 300 };

      await expect(redeems(body)).rejects.toMatchObject(outOfOrder);
      for (const at of [world.frontDoorUrl, world.regionUrl('eu')]) {
        await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!), { at })).rejects.toMatchObject(
          outOfOrder,
        );
        await expect(
          world.stranger.asks(tokens.issueToken, { body: { ...crm(world.automation), grant_type: 'client_credentials' } }, { at }),
        ).resolves.toBeDefined();
      }

      await setMode({ out_of_order: false });
      await expect(redeems(body)).resolves.toBeDefined();
      await comesTrue(() => expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), refresh_token!))).resolves.toBeDefined());
    });
  });
});

async function howManyWin(attempt: () => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, attempt));
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as { key: string }).key] : []));
  expect(new Set(reasons)).toEqual(new Set([INVALID_GRANT.key]));
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}
