import { account, accountClients, companyData, phones, serviceClient, tokens, type Endpoint, type TokenResponse } from '@codase/contracts';
import { one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { Device, eventually, World } from '@codase/testing';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { request } from 'undici';
import type { DataSource } from 'typeorm';
import { UsedProofRetention } from '../../../src/access/tokens/dpop/used-proof-retention.worker.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { claimsOf, codeFor, fillsForm, phone, refresh } from '../../support/oauth-visitor.ts';

const INVALID_TOKEN = { key: 'auth.token_invalid', status: 401 };
const INVALID_PROOF = { key: 'oauth.invalid_dpop_proof', status: 400 };
const INVALID_GRANT = { key: 'oauth.invalid_grant' };

describe('tokens that are bound to a key (DPoP, RFC 9449) @gap D1-5.4', () => {
  let world: World;
  let db: DataSource;
  let device: Device;
  let thief: Device;
  let signedIn: TokenResponse;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await frontDoorDatabase(world);
    device = new Device(() => world.now);
    thief = new Device(() => world.now);
    signedIn = await signsIn();
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  const signsIn = async () =>
    world.stranger.asks(tokens.issueToken, { body: await codeFor(phone(world), world.person('ANA'), world.stranger) }, { device });
  const refreshes = (token: string, options: { device?: Device; at?: string } = {}) =>
    world.stranger.asks(tokens.issueToken, refresh(phone(world), token), options);
  const eu = () => world.regionUrl('eu');
  const reads = (token: string, options: { device?: Device; at?: string } = { device }) =>
    world.stranger.asks(account.readProfile, {}, { at: eu(), token, ...options });
  /** Sends headers as they are. */
  const sends = async (headers: Record<string, string>, path = '/api/profile') => {
    const answer = await request(`${eu()}${path}`, { headers });
    return {
      status: answer.statusCode,
      challenge: answer.headers['www-authenticate'],
      body: (await answer.body.json()) as { error: string },
    };
  };
  const headersFor = (token: string, path = '/api/profile', contract: Pick<Endpoint, 'method'> = { method: 'GET' }) =>
    device.proves({ contract: contract as Endpoint, url: `${eu()}${path}`, token });

  it('name the key, and are accepted at every base with a proof by it', async () => {
    expect(signedIn).toMatchObject({ token_type: 'DPoP', api_url: eu(), refresh_token: expect.any(String) });
    expect(claimsOf(signedIn.access_token)['cnf']).toEqual({ jkt: expect.stringMatching(/^[\w-]{43}$/) });

    await expect(reads(signedIn.access_token)).resolves.toMatchObject({ user_id: world.person('ANA').user_id });
    await expect(world.stranger.asks(tokens.listSessions, {}, { token: signedIn.access_token, device })).resolves.toBeDefined();
    await expect(world.stranger.asks(phones.listPhones, {}, { at: eu(), token: signedIn.access_token, device })).resolves.toBeDefined();
  });

  it('are worth nothing without the key', async () => {
    await expect(reads(signedIn.access_token, {})).rejects.toMatchObject(INVALID_TOKEN);
    await expect(reads(signedIn.access_token, { device: thief })).rejects.toMatchObject(INVALID_TOKEN);
    const { status, challenge } = await sends({ authorization: `DPoP ${signedIn.access_token}` });
    expect({ status, challenge }).toEqual({ status: 401, challenge: 'Bearer, DPoP algs="ES256"' });
  });

  it('are refused with a proof that was used before, also when they come at once', async () => {
    const headers = headersFor(signedIn.access_token);

    const answers = await Promise.all([sends(headers), sends(headers), sends(headers)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await sends(headers)).body.error).toMatch(/valid once/);
  });

  it('are refused with the proof of another path, method, base or token, and with an old one', async () => {
    const token = signedIn.access_token;
    const elsewhere = device.proves({ contract: account.readProfile, url: `${world.regionUrl('us')}/api/profile`, token });
    const other = { ...headersFor((await signsIn()).access_token), authorization: `DPoP ${token}` };
    const old = headersFor(token);
    const early = new Device(() => new Date(world.now.getTime() - 61_000));

    for (const headers of [
      headersFor(token, '/api/account'),
      headersFor(token, '/api/profile', { method: 'PUT' }),
      elsewhere,
      other,
      { ...old, dpop: `${old['dpop']}, ${old['dpop']}` },
    ])
      expect((await sends(headers)).status).toBe(401);
    await expect(
      world.stranger.asks(tokens.issueToken, { body: await codeFor(phone(world), world.person('ANA'), world.stranger) }, { device: early }),
    ).rejects.toMatchObject(INVALID_PROOF);
  });

  it('a bearer token stays one: a proof beside it is not asked for, and not accepted in its place', async () => {
    const { access_token, token_type } = await world.stranger.asks(tokens.issueToken, {
      body: await codeFor(phone(world), world.person('ANA'), world.stranger),
    });

    expect(token_type).toBe('Bearer');
    await expect(reads(access_token, {})).resolves.toBeDefined();
    await expect(reads(access_token, { device })).rejects.toMatchObject(INVALID_TOKEN);
    expect((await sends({ authorization: `Bearer ${access_token}`, dpop: 'nonsense' })).status).toBe(200);
  });

  it('a call with a bearer token notes no proof', async () => {
    const { access_token } = await world.stranger.asks(tokens.issueToken, {
      body: await codeFor(phone(world), world.person('BEN'), world.stranger),
    });
    const noted = async () => (await one<{ n: number }>(db, sql`select count(*)::int as n from used_proof`))!.n;
    const before = await noted();

    await world.stranger.asks(tokens.listSessions, {}, { token: access_token });
    expect(await noted()).toBe(before);
  });

  it('refresh tokens of an app are bound too, at the front door and in a region, and a thief uses none up', async () => {
    const first = await signsIn();

    await expect(refreshes(first.refresh_token!)).rejects.toMatchObject(INVALID_GRANT);
    await expect(refreshes(first.refresh_token!, { device: thief })).rejects.toMatchObject(INVALID_GRANT);
    await expect(refreshes(first.refresh_token!, { device: thief, at: eu() })).rejects.toMatchObject(INVALID_GRANT);
    const second = await refreshes(first.refresh_token!, { device, at: eu() });
    const third = await refreshes(second.refresh_token!, { device });

    expect([second.token_type, third.token_type]).toEqual(['DPoP', 'DPoP']);
    await expect(refreshes(second.refresh_token!, { device: thief })).rejects.toMatchObject(INVALID_GRANT);
  });

  it('the answer to a refresh that was lost is given again only to the key', async () => {
    const first = await signsIn();
    const second = await refreshes(first.refresh_token!, { device });

    expect((await refreshes(first.refresh_token!, { device })).refresh_token).toBe(second.refresh_token);
    await expect(refreshes(first.refresh_token!, { device: thief })).rejects.toMatchObject(INVALID_GRANT);
  });

  it('a sign-in without a key is bound by its first proof, at the front door alone', async () => {
    const person = await world.signsUp({ type: 'person' });
    const unbound = await world.stranger.asks(tokens.issueToken, {
      body: await codeFor(phone(world), person, world.stranger),
    });

    await expect(refreshes(unbound.refresh_token!, { device, at: eu() })).rejects.toMatchObject({
      key: 'region.rebase_required',
      extras: { api_url: world.frontDoorUrl },
    });
    const bound = await refreshes(unbound.refresh_token!, { device });
    expect(bound.token_type).toBe('DPoP');
    await expect(refreshes(bound.refresh_token!, { device: thief })).rejects.toMatchObject(INVALID_GRANT);
    await expect(refreshes(bound.refresh_token!)).rejects.toMatchObject(INVALID_GRANT);
  });

  it('a used proof is forgotten when it is too old to be used again', async () => {
    await signsIn();
    const left = async () => (await one<{ n: number }>(db, sql`select count(*)::int as n from used_proof`))!.n;
    const at = (seconds: number) =>
      new UsedProofRetention(db, { now: () => new Date(world.now.getTime() + seconds * 1000) }, silentLog).sweep();

    await at(59);
    expect(await left()).toBeGreaterThan(0);
    await at(62);
    expect(await left()).toBe(0);
  });

  describe('a client whose company demands them', () => {
    const demands = (dpop_bound_access_tokens: boolean) =>
      world.acme.asks(serviceClient.changeServiceClient, { params: { id: world.shop.service_id! }, body: { dpop_bound_access_tokens } });
    const gets = (options: { device?: Device; at?: string } = {}) =>
      world.stranger.asks(
        tokens.issueToken,
        { body: { grant_type: 'client_credentials', client_id: world.shop.client_id, client_secret: world.shop.client_secret } },
        options,
      );
    const asksWhoami = (token: string, options: { device?: Device } = {}) =>
      world.stranger.asks(companyData.whoami, {}, { at: eu(), token, ...options });

    it('gets no other, at each base, and its bearer tokens end', async () => {
      const { access_token: bearer } = await gets();
      await expect(asksWhoami(bearer)).resolves.toBeDefined();

      expect(await demands(true)).toMatchObject({ client_id: world.shop.client_id, dpop_bound_access_tokens: true });
      await eventually(() =>
        asksWhoami(bearer).then(
          () => undefined,
          () => true,
        ),
      );
      await expect(gets()).rejects.toMatchObject(INVALID_PROOF);
      await expect(gets({ at: eu() })).rejects.toMatchObject(INVALID_PROOF);
      const { access_token, token_type } = await gets({ device, at: eu() });
      expect(token_type).toBe('DPoP');
      await expect(asksWhoami(access_token, { device })).resolves.toBeDefined();

      await demands(false);
      await eventually(() => gets({ at: eu() }).catch(() => undefined));
    });

    it('is any of its account clients too', async () => {
      const params = { id: world.automation.client_id };
      const rights = { capabilities: ['service_management' as const] };
      const changed = await world.acme.asks(accountClients.changeCapabilities, {
        params,
        body: { ...rights, dpop_bound_access_tokens: true },
      });

      expect(changed.dpop_bound_access_tokens).toBe(true);
      const { client_id, client_secret } = world.automation;
      const body = { grant_type: 'client_credentials', client_id, client_secret };
      await expect(world.stranger.asks(tokens.issueToken, { body })).rejects.toMatchObject(INVALID_PROOF);
      const kept = await world.acme.asks(accountClients.changeCapabilities, { params, body: rights });
      expect(kept.dpop_bound_access_tokens).toBe(true);
    });
  });

  describe('with clients of other authors', () => {
    /** How many seconds the clock of the platform is ahead of theirs. */
    const skew = () => Math.round((world.now.getTime() - Date.now()) / 1000);

    it('openid-client signs a person in with a key, refreshes, and calls the API', async () => {
      const { client_id, redirect_uri } = phone(world);
      const config = await openid.discovery(new URL(world.frontDoorUrl), client_id, { [openid.clockSkew]: skew() }, openid.None(), {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      expect(config.serverMetadata().dpop_signing_alg_values_supported).toEqual(['ES256']);
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const page = openid.buildAuthorizationUrl(config, {
        redirect_uri,
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });

      const checks = { pkceCodeVerifier, expectedState };
      const first = await openid.authorizationCodeGrant(config, await fillsForm(page, world.person('ANA')), checks, undefined, { DPoP });
      expect(first.token_type).toBe('dpop');
      const next = await openid.refreshTokenGrant(config, first.refresh_token!, undefined, { DPoP });
      const answer = await openid.fetchProtectedResource(
        config,
        next.access_token,
        new URL(`${eu()}/api/profile`),
        'GET',
        null,
        undefined,
        {
          DPoP,
        },
      );
      expect(answer.status).toBe(200);
      await expect(openid.refreshTokenGrant(config, next.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('oauth4webapi gets a bound token for a client, and checks it as a resource server does', async () => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(world.frontDoorUrl);
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
      );
      const client: oauth.Client = { client_id: world.shop.client_id, [oauth.clockSkew]: skew() };
      const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      const auth = oauth.ClientSecretPost(world.shop.client_secret);

      const response = await oauth.clientCredentialsGrantRequest(server, client, auth, {}, { DPoP, ...insecure });
      const { access_token, token_type } = await oauth.processClientCredentialsResponse(server, client, response);
      expect(token_type).toBe('dpop');
      const url = new URL(`${eu()}/api/company-data/whoami`);
      const answer = await oauth.protectedResourceRequest(access_token, 'GET', url, undefined, null, { DPoP, ...insecure });
      expect(answer.status).toBe(200);
    });
  });
});
