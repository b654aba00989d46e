import { companyData, discovery, identity, regions, tokens } from '@codase/contracts';
import { World } from '@codase/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { request } from 'undici';

const validator = new Validator();

describe('the front door @spec D1-4.1 @spec D1-5.3 @spec D1-5.6', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
  });
  afterAll(() => world?.close());

  describe('the token endpoint', () => {
    const wrong = { grant_type: 'client_credentials', client_id: 'svc_demo_shop', client_secret: 'wrong' };

    it.each([
      ['a wrong secret', wrong, 'oauth.invalid_client', 401],
      ['an unknown client', { ...wrong, client_id: 'svc_nobody' }, 'oauth.invalid_client', 401],
      ['no credentials', { grant_type: 'client_credentials' }, 'oauth.invalid_client', 401],
      ['no grant type', { client_id: 'svc_demo_shop' } as never, 'oauth.invalid_request', 400],
      ['another grant', { ...wrong, grant_type: 'password' }, 'oauth.unsupported_grant_type', 400],
    ])('refuses a token request with %s', async (_, body, key, status) => {
      await expect(world.stranger.asks(tokens.issueToken, { body })).rejects.toMatchObject({ key, status });
    });

    it('answers errors in the format of OAuth', async () => {
      const answer = await request(`${world.frontDoorUrl}/oauth2/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams(wrong)),
      });

      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'www-authenticate': 'Basic' });
      expect(await answer.body.json()).toEqual({
        error: 'invalid_client',
        error_description: 'Unknown client or wrong secret',
        error_key: 'oauth.invalid_client',
      });
    });

    it.each([
      ['a parameter twice', 'grant_type=client_credentials&grant_type=client_credentials', 'application/x-www-form-urlencoded'],
      ['a NUL byte', 'grant_type=client_credentials%00', 'application/x-www-form-urlencoded'],
      ['JSON', '{"grant_type":"client_credentials"}', 'application/json'],
    ])('refuses a token request body with %s', async (_, body, type) => {
      const answer = await request(`${world.frontDoorUrl}/oauth2/token`, { method: 'POST', headers: { 'content-type': type }, body });

      expect(await answer.body.json()).toMatchObject({ error_key: 'oauth.invalid_request' });
      expect(answer.statusCode).toBe(400);
    });
  });

  it('answers / with links to the documentation, as JSON or as a page', async () => {
    const reported = await world.stranger.asks(discovery.frontPage, {});
    const browser = await fetch(world.frontDoorUrl, { headers: { accept: 'text/html' } });

    expect(JSON.parse('bytes' in reported ? Buffer.from(reported.bytes).toString() : JSON.stringify(reported))).toMatchObject({
      name: 'Company Data Service',
      documentation: `${world.frontDoorUrl}/docs`,
      openapi: `${world.frontDoorUrl}/openapi.json`,
    });
    expect([browser.status, browser.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(browser.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await browser.text()).toContain('href="/docs"');
  });

  it('serves regions, health, keys and metadata without a token', async () => {
    const { stranger } = world;

    expect(await stranger.asks(discovery.health, {})).toEqual({ status: 'ok' });
    expect(await stranger.asks(regions.listRegions, {})).toEqual({
      items: [
        { region: 'eu', api_url: world.regionUrl('eu') },
        { region: 'us', api_url: world.regionUrl('us') },
      ],
      next_cursor: null,
    });
    expect((await stranger.asks(tokens.jwks, {})).keys).toHaveLength(3); // one of the front door and one of each region
    expect(await stranger.asks(tokens.serverMetadata, {})).toMatchObject({
      issuer: world.frontDoorUrl,
      token_endpoint: `${world.frontDoorUrl}/oauth2/token`,
    });
  });

  it('is named in the 421 answer of a region that is called for its routes', async () => {
    const there = { key: 'region.rebase_required', extras: { api_url: world.frontDoorUrl } };

    await expect(world.stranger.asks(regions.listRegions, {}, { at: world.regionUrl('eu') })).rejects.toMatchObject(there);
    await expect(
      world.stranger.asks(identity.beginAuthorization, { query: { client_id: 'app_portal' } }, { at: world.regionUrl('eu') }),
    ).rejects.toMatchObject(there);
  });

  it('a region issues tokens too, without api_url, which the caller already knows @gap D1-5.6', async () => {
    const { client_id, client_secret } = world.shop;

    const token = await world.stranger.asks(
      tokens.issueToken,
      { body: { grant_type: 'client_credentials', client_id, client_secret } },
      { at: world.regionUrl('eu') },
    );

    expect(token).not.toHaveProperty('api_url');
    expect(await world.shop.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token: token.access_token })).toMatchObject({
      service_id: world.shop.service_id,
    });
  });

  it('serves a valid OpenAPI document and the API explorer', async () => {
    const document = await world.stranger.asks(discovery.openapiDocument, {});
    expect(Object.keys(document['paths'] as object)).toEqual(expect.arrayContaining(['/oauth2/token', '/api/company-data/whoami']));
    expect((await validator.validate(document as never)).errors).toBeUndefined();

    const page = await world.stranger.asks(discovery.apiExplorer, {});
    for (const asset of ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'] as const) {
      expect(Buffer.from(page.bytes).toString()).toContain(`/docs/${asset}`);
      expect((await world.stranger.asks(discovery.apiExplorerFile, { params: { asset } })).bytes.length).toBeGreaterThan(0);
    }
    await expect(world.stranger.asks(discovery.apiExplorerFile, { params: { asset: 'package.json' as never } })).rejects.toMatchObject({
      key: 'request.not_found',
    });
  });

  it("serves a page to browsers at /, and a region's / has the front door's URL", async () => {
    const { frontDoorUrl } = world;
    const asks = (accept?: string) => request(`${frontDoorUrl}/`, { headers: accept ? { accept } : {} });

    expect(await (await asks()).body.json()).toMatchObject({
      documentation: `${frontDoorUrl}/docs`,
      openapi: `${frontDoorUrl}/openapi.json`,
    });
    const page = await asks('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(await page.body.text()).toContain('<a href="/docs">');
    expect(await (await request(`${world.regionUrl('eu')}/`)).body.json()).toMatchObject({ api_url: frontDoorUrl });
  });

  it('allows cross-origin calls of region routes only from its API explorer', async () => {
    const { access_token, api_url } = await world.shop.getsToken();
    const whoami = `${api_url}/api/company-data/whoami`;
    const preflight = (origin: string) =>
      request(whoami, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      });

    const allowed = await preflight(world.frontDoorUrl);
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': world.frontDoorUrl,
      'access-control-allow-headers': expect.stringContaining('authorization'),
    });
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials');
    const other = await preflight('https://elsewhere.example');
    expect(other.statusCode).toBe(404);
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');

    const answer = await request(whoami, { headers: { origin: world.frontDoorUrl, authorization: `Bearer ${access_token}` } });
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, world.frontDoorUrl]);
    const refused = await request(whoami, { headers: { origin: world.frontDoorUrl } });
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([401, world.frontDoorUrl]);
    await Promise.all([allowed, other, answer, refused].map(({ body }) => body.dump()));
  });

  it('answers 404 for unknown paths only to callers whose whitelist covers them @spec D1-5.7', async () => {
    const { access_token, api_url } = await world.shop.getsToken();
    const asks = (path: string, authorization = `Bearer ${access_token}`) =>
      request(`${api_url}${path}`, { headers: { authorization } }).then(({ body }) => body.json());

    const { access_token: automated } = await world.automation.getsToken();
    expect(await asks('/api/services/ser_1/nonsense', `Bearer ${automated}`)).toMatchObject({ error_key: 'request.not_found' });
    expect(await asks('/api/company-data/nonsense')).toMatchObject({ error_key: 'request.not_found' });
    expect(await asks('/api/portal/flows')).toMatchObject({ error_key: 'auth.client_endpoint_forbidden' });
    expect(await asks('/nonsense')).toMatchObject({ error_key: 'auth.client_endpoint_forbidden' });
    expect(await asks('/nonsense', 'Bearer forged')).toMatchObject({ error_key: 'auth.token_invalid' });
  });

  describe('whoami', () => {
    const refused = { key: 'auth.token_invalid', status: 401 };

    it('requires a token, in the region and at the front door', async () => {
      for (const at of [world.regionUrl('eu'), world.frontDoorUrl]) {
        await expect(world.stranger.asks(companyData.whoami, {}, { at })).rejects.toMatchObject(refused);
        await expect(world.stranger.asks(companyData.whoami, {}, { at, token: 'forged' })).rejects.toMatchObject(refused);
      }
    });

    it('refuses an account client', async () => {
      await expect(world.automation.asksWhoami()).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden', status: 403 });
    });

    it('refuses a token after an hour', async () => {
      const { access_token, api_url } = await world.shop.getsToken();
      await world.passes({ minutes: 59 });
      expect(await world.shop.asks(companyData.whoami, {}, { at: api_url!, token: access_token })).toMatchObject({
        service_id: world.shop.service_id,
      });

      await world.passes({ minutes: 1 });
      await expect(world.shop.asks(companyData.whoami, {}, { at: api_url!, token: access_token })).rejects.toMatchObject(refused);
    });
  });
});
