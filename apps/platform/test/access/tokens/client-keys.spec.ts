import { generateKeyPairSync, randomUUID, sign, webcrypto } from 'node:crypto';
import * as openid from 'openid-client';
import {
  accountClients,
  account,
  companyData,
  OPERATOR,
  serviceClient,
  services,
  tokens,
  type ClientKey,
  type Refusal,
  type Request,
} from '@codase/contracts';
import { freePort } from '@codase/servers';
import { World, type Company } from '@codase/testing';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  Ed25519: { name: 'Ed25519' },
};
const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
const INVALID = refused('oauth.invalid_client', 401);

/** A key pair of a client, with the assertions that it signs. */
function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signs = (client_id: string, aud: string, now: Date, claims: object = {}) => {
    const iat = Math.floor(now.getTime() / 1000);
    const all = { iss: client_id, sub: client_id, aud, iat, exp: iat + 60, jti: randomUUID(), ...claims };
    const content = `${part({ alg: 'EdDSA' })}.${part(all)}`;
    return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`;
  };
  return { jwk: publicKey.export({ format: 'jwk' }) as ClientKey, privateJwk: privateKey.export({ format: 'jwk' }), signs };
}

describe('clients that sign in with a key @gap D1-5.2', () => {
  let world: World;
  let acme: Company;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
  });
  afterAll(() => world?.close());

  const newClient = async () => {
    const [shop] = (await acme.asks(services.listServices, { query: { limit: 1 } })).items;
    const body = {
      name: 'Club',
      admin_email: 'club@acme.example',
      public_key: acme.public_key,
      encrypted_private_key: { ...shop!.encrypted_private_key, iter: 100_000 as const },
    };
    const params = { id: (await acme.asks(services.createService, { body })).id };
    return { params, ...(await acme.asks(serviceClient.createServiceClient, { params, body: {} })) };
  };
  const setsKeys = (params: { id: string }, keys: readonly ClientKey[], required = false) =>
    acme.asks(serviceClient.setServiceClientKeys, { params, body: { keys: [...keys], required } });
  const withKey = async (required = false) => {
    const [client, key] = [await newClient(), newKey()];
    await setsKeys(client.params, [key.jwk], required);
    return { ...client, key };
  };
  type Body = Partial<Request<typeof tokens.issueToken>['body']>;
  const asksToken = (body: Body, at = world.frontDoorUrl) =>
    world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', ...body } }, { at });
  const proves = (client_assertion: string, at?: string, more: Body = {}) =>
    asksToken({ client_assertion, client_assertion_type: TYPE, ...more }, at);
  const whoami = (token: string) => world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu'), token });

  it.each(Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[])('are understood when openid-client signs with %s', async (alg) => {
    const { params, client_id } = await newClient();
    const pair = (await webcrypto.subtle.generateKey(ALGORITHMS[alg], true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
    await setsKeys(params, [(await webcrypto.subtle.exportKey('jwk', pair.publicKey)) as ClientKey]);
    const config = await openid.discovery(
      new URL(world.frontDoorUrl),
      client_id,
      undefined,
      openid.PrivateKeyJwt(pair.privateKey as never),
      {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      },
    );

    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(config.serverMetadata().token_endpoint_auth_signing_alg_values_supported).toContain(alg);
    const { access_token } = await openid.clientCredentialsGrant(config);
    expect(await whoami(access_token)).toMatchObject({ service_id: params.id });
    await openid.tokenRevocation(config, access_token);
    await expect(whoami(access_token)).rejects.toMatchObject({ key: 'auth.token_invalid' });
  });

  it('show their keys to their company, and go on with their secret beside them', async () => {
    const { params, client_id, client_secret, key } = await withKey();

    expect(await acme.asks(serviceClient.readServiceClientKeys, { params })).toEqual({ client_id, keys: [key.jwk], required: false });
    await expect(asksToken({ client_id, client_secret })).resolves.toBeDefined();
    await expect(proves(key.signs(client_id, world.frontDoorUrl, world.now), undefined, { client_id })).resolves.toBeDefined();
  });

  it('of the kind account sign in with a key too', async () => {
    const { client_id } = await acme.asks(accountClients.createAccountClient, { body: { name: 'Bot', capabilities: [] } });
    const [params, key] = [{ id: client_id }, newKey()];
    await acme.asks(accountClients.setAccountClientKeys, { params, body: { keys: [key.jwk], required: true } });

    const { access_token } = await proves(key.signs(client_id, `${world.frontDoorUrl}/oauth2/token`, world.now));
    const read = world.stranger.asks(account.readProfile, {}, { at: world.regionUrl('eu'), token: access_token });
    await expect(read).resolves.toMatchObject({ user_id: acme.user_id });
    expect(await acme.asks(accountClients.readAccountClientKeys, { params })).toMatchObject({ keys: [key.jwk], required: true });
  });

  it('use an assertion once, however many requests come with it together', async () => {
    const { client_id, key } = await withKey();
    const assertion = key.signs(client_id, world.frontDoorUrl, world.now);

    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => proves(assertion)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(proves(assertion)).rejects.toEqual(INVALID);
    const jti = randomUUID();
    await proves(key.signs(client_id, world.frontDoorUrl, world.now, { jti }));
    await expect(proves(key.signs(client_id, world.frontDoorUrl, world.now, { jti }))).rejects.toEqual(INVALID);
  });

  it('use an assertion once at all replicas of a base', async () => {
    const port = await freePort();
    await world.starts('front-door', { PORT: String(port), OPS_PORT: '0' });
    const { client_id, key } = await withKey();
    const assertion = key.signs(client_id, world.frontDoorUrl, world.now);
    const at = [world.frontDoorUrl, `http://127.0.0.1:${port}`];

    const outcomes = await Promise.allSettled([...at, ...at].map((base) => proves(assertion, base)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const base of at) await expect(proves(key.signs(client_id, world.frontDoorUrl, world.now), base)).resolves.toBeDefined();
  });

  it('have an assertion of its own for each base', async () => {
    const { client_id, key } = await withKey();
    const region = world.regionUrl('eu');
    const forRegion = key.signs(client_id, region, world.now);

    await expect(proves(forRegion)).rejects.toEqual(INVALID);
    await expect(proves(forRegion, region)).resolves.toBeDefined();
    await expect(proves(forRegion, region)).rejects.toEqual(INVALID);
    await expect(proves(key.signs(client_id, world.frontDoorUrl, world.now), region)).rejects.toEqual(INVALID);
  });

  it('are refused once their assertion has ended', async () => {
    const { client_id, key } = await withKey();
    const assertion = key.signs(client_id, world.frontDoorUrl, world.now);
    await world.passes({ seconds: 61 });

    await expect(proves(assertion)).rejects.toEqual(INVALID);
  });

  it('are refused with the key of another client', async () => {
    const [one, other] = [await withKey(), await withKey()];

    await expect(proves(one.key.signs(other.client_id, world.frontDoorUrl, world.now))).rejects.toEqual(INVALID);
    const own = one.key.signs(one.client_id, world.frontDoorUrl, world.now);
    await expect(proves(own, undefined, { client_id: other.client_id })).rejects.toEqual(INVALID);
    await expect(proves(one.key.signs('svc_nobody', world.frontDoorUrl, world.now))).rejects.toEqual(INVALID);
  });

  it('are refused when they authenticate in two ways, or in half a way', async () => {
    const { client_id, client_secret, key } = await withKey();
    const client_assertion = key.signs(client_id, world.frontDoorUrl, world.now);
    const basic = { headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` } };
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_assertion, client_assertion_type: TYPE });

    await expect(proves(client_assertion, undefined, { client_id, client_secret })).rejects.toMatchObject({ key: 'oauth.invalid_request' });
    const answer = await fetch(`${world.frontDoorUrl}/oauth2/token`, { method: 'POST', ...basic, body });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    await expect(asksToken({ client_assertion })).rejects.toMatchObject({ key: 'oauth.invalid_request' });
    await expect(asksToken({ client_assertion, client_assertion_type: 'saml2' })).rejects.toEqual(INVALID);
    await expect(proves(client_assertion)).resolves.toBeDefined();
  });

  it('have their secret refused, and all tokens ended, when a key is required', async () => {
    const { params, client_id, client_secret, key } = await withKey();
    const { access_token } = await asksToken({ client_id, client_secret });
    await setsKeys(params, [key.jwk], true);

    await expect(whoami(access_token)).rejects.toMatchObject({ key: 'auth.token_invalid' });
    for (const at of [world.frontDoorUrl, world.regionUrl('eu')]) {
      await expect(asksToken({ client_id, client_secret }, at)).rejects.toEqual(INVALID);
      await expect(proves(key.signs(client_id, at, world.now), at)).resolves.toBeDefined();
    }
  });

  it('keep their tokens when a key is added, and lose them when one is removed', async () => {
    const { params, client_id, key } = await withKey();
    const next = newKey();
    const { access_token } = await proves(key.signs(client_id, world.frontDoorUrl, world.now));

    await setsKeys(params, [key.jwk, next.jwk]);
    await expect(whoami(access_token)).resolves.toBeDefined();
    await setsKeys(params, [next.jwk]);

    await expect(whoami(access_token)).rejects.toMatchObject({ key: 'auth.token_invalid' });
    await expect(proves(key.signs(client_id, world.frontDoorUrl, world.now))).rejects.toEqual(INVALID);
    await expect(proves(next.signs(client_id, world.frontDoorUrl, world.now))).resolves.toBeDefined();
  });

  it.each<[string, () => { keys: unknown[]; required?: boolean }]>([
    ['a private part', () => ({ keys: [newKey().privateJwk] })],
    ['a symmetric key', () => ({ keys: [{ kty: 'oct', k: 'x'.repeat(43) }] })],
    ['a short RSA key', () => ({ keys: [{ kty: 'RSA', e: 'AQAB', n: 'x'.repeat(171) }] })],
    ['a key of megabytes', () => ({ keys: [{ kty: 'RSA', e: 'AQAB', n: 'x'.repeat(20_000) }] })],
    ['a point beside the curve', () => ({ keys: [{ kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }] })],
    ['another curve', () => ({ keys: [{ kty: 'EC', crv: 'secp256k1', x: 'A'.repeat(43), y: 'A'.repeat(43) }] })],
    ['an algorithm that does not fit', () => ({ keys: [{ ...newKey().jwk, alg: 'ES256' }] })],
    ['five keys', () => ({ keys: Array.from({ length: 5 }, () => newKey().jwk) })],
    ['one id for two keys', () => ({ keys: [newKey(), newKey()].map(({ jwk }) => ({ ...jwk, kid: 'same' })) })],
    ['a key required and none given', () => ({ keys: [], required: true })],
  ])('cannot be given %s', async (_, body) => {
    const { params } = await newClient();
    const sets = acme.asks(serviceClient.setServiceClientKeys, { params, body: body() as never });

    await expect(sets).rejects.toEqual(refused('request.invalid', 400));
  });

  it('cannot be given keys for an account client that is malformed, unknown, or managed by the platform', async () => {
    const sets = (id: string, body: object) => acme.asks(accountClients.setAccountClientKeys, { params: { id }, body: body as never });
    const operator = await world.operator('platform');
    const { client_id } = await operator.request(
      OPERATOR.registerManaged,
      {},
      {
        client_id: 'acct_managed_keys',
        kind: 'account',
        company_user_id: acme.user_id,
        service_id: null,
        name: 'Managed',
        purpose: 'shopify:keys',
        capabilities: [],
        redirect_uri: null,
        secret_digest: 'digest',
      },
    );

    await expect(sets(client_id, { keys: 'none' })).rejects.toEqual(refused('request.invalid', 400));
    await expect(sets('acct_none', { keys: [] })).rejects.toEqual(refused('account_clients.not_found', 404));
    await expect(acme.asks(accountClients.readAccountClientKeys, { params: { id: 'acct_none' } })).rejects.toEqual(
      refused('account_clients.not_found', 404),
    );
    await expect(sets(client_id, { keys: [newKey().jwk] })).rejects.toEqual(refused('account_clients.purpose_managed', 409));
  });

  it('are not found by another company, nor before they are registered', async () => {
    const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
    const params = { id: world.shop.service_id! };
    const body = { keys: [newKey().jwk] };
    await expect(neighbour.asks(serviceClient.setServiceClientKeys, { params, body })).rejects.toEqual(refused('services.not_found', 404));
    await expect(neighbour.asks(serviceClient.readServiceClientKeys, { params })).rejects.toEqual(refused('services.not_found', 404));

    const fresh = await newClient();
    await acme.asks(serviceClient.deleteServiceClient, { params: fresh.params });
    const missing = refused('services.client_not_found', 404);
    await expect(acme.asks(serviceClient.setServiceClientKeys, { params: fresh.params, body })).rejects.toEqual(missing);
    await expect(acme.asks(serviceClient.readServiceClientKeys, { params: fresh.params })).rejects.toEqual(missing);
  });
});
