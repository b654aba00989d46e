import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { World } from '@codase/testing';
import { CALLBACK, claimsOf, fillsForm, phone, withRedirect } from '../../support/oauth-visitor.ts';

/** OAuth clients of other authors, each used in its own way. */
describe('third-party OAuth clients @spec D1-4.1 @spec D1-5.2 @spec D1-5.5', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    await withRedirect(world, world.automation);
  });
  afterAll(() => world?.close());

  describe('openid-client', () => {
    const discovered = (client_id: string, auth: openid.ClientAuth) =>
      openid.discovery(new URL(world.frontDoorUrl), client_id, undefined, auth, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });

    it('discovers the server and gets a client token, with the secret in the body or in the header', async () => {
      for (const auth of [openid.ClientSecretPost(world.shop.client_secret), openid.ClientSecretBasic(world.shop.client_secret)]) {
        const tokens = await openid.clientCredentialsGrant(await discovered(world.shop.client_id, auth));

        expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, api_url: world.regionUrl('eu') });
      }
    });

    it('signs a person in with a public client, refreshes and revokes', async () => {
      const { client_id, redirect_uri } = phone(world);
      const config = await discovered(client_id, openid.None());
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const page = openid.buildAuthorizationUrl(config, {
        redirect_uri,
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });

      const tokens = await openid.authorizationCodeGrant(config, await fillsForm(page, world.person('BEN')), {
        pkceCodeVerifier,
        expectedState,
      });
      expect(claimsOf(tokens.access_token)['sub']).toBe(world.person('BEN').user_id);

      const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
      expect(next.refresh_token).not.toBe(tokens.refresh_token);
      await openid.tokenRevocation(config, next.refresh_token!);
      await expect(openid.refreshTokenGrant(config, next.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('reports a refused client secret', async () => {
      const config = await discovered(world.shop.client_id, openid.ClientSecretPost('wrong'));

      await expect(openid.clientCredentialsGrant(config)).rejects.toMatchObject({ status: 401 });
    });
  });

  it('oauth4webapi signs a company in with a confidential client, and refreshes', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(world.frontDoorUrl);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    const client: oauth.Client = { client_id: world.automation.client_id };
    const auth = oauth.ClientSecretBasic(world.automation.client_secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const page = new URL(server.authorization_endpoint!);
    const parameters = {
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);

    const answer = oauth.validateAuthResponse(server, client, await fillsForm(page, world.acme), state);
    const response = await oauth.authorizationCodeGrantRequest(server, client, auth, answer, CALLBACK, verifier, insecure);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);

    expect(claimsOf(tokens.access_token)['sub']).toBe(world.acme.user_id);
    const next = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token!, insecure),
    );
    expect(next.refresh_token).toBeDefined();
    await expect(
      oauth.validateJwtAccessToken(
        server,
        new Request(world.frontDoorUrl, { headers: { authorization: `Bearer ${tokens.access_token}` } }),
        'company-data-service',
        insecure,
      ),
    ).resolves.toMatchObject({ client_id: client.client_id });
  });

  it('simple-oauth2 gets a client token, signs a company in, refreshes and revokes', async () => {
    const { client_id, client_secret } = world.automation;
    const settings = {
      client: { id: client_id, secret: client_secret },
      auth: { tokenHost: world.frontDoorUrl, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
    };
    expect((await new ClientCredentials(settings).getToken({})).token['api_url']).toBe(world.regionUrl('eu'));

    const verifier = oauth.generateRandomCodeVerifier();
    const flow = new AuthorizationCode({ ...settings, auth: { ...settings.auth, authorizePath: '/oauth2/authorize' } });
    const page = flow.authorizeURL({
      redirect_uri: CALLBACK,
      state: 's',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const code = (await fillsForm(new URL(page), world.acme)).searchParams.get('code')!;
    const token = await flow.getToken({ code, redirect_uri: CALLBACK, code_verifier: verifier });
    const next = await token.refresh();
    await next.revokeAll();

    await expect(next.refresh()).rejects.toMatchObject({ output: { statusCode: 400 } });
  });

  it('curl gets a client token with one command', async () => {
    const { client_id, client_secret } = world.shop;
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      '--fail',
      '-d',
      'grant_type=client_credentials',
      '-d',
      `client_id=${client_id}`,
      '-d',
      `client_secret=${client_secret}`,
      `${world.frontDoorUrl}/oauth2/token`,
    ]);

    expect(JSON.parse(stdout)).toMatchObject({ token_type: 'Bearer', api_url: world.regionUrl('eu') });
  });
});
