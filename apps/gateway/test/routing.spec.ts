import { companyData, feed, Refusal, registry } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { readConfig } from '@codase/runtime/config';
import { eventually, FaultProxy } from '@codase/testing';
import { inTempTree } from '@codase/testing/temp-tree';
import { constants, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, settingsOf } from '../src/config.ts';
import { ApiHosts } from '../src/routing/api-hosts.ts';
import { BasesService } from '../src/routing/bases.service.ts';
import { USUAL_MS } from '../src/routing/deadline.ts';
import { RetryingCaller } from '../src/routing/retrying-caller.service.ts';
import type { RoutingService } from '../src/routing/routing.service.ts';
import { NEVER, NO_LIMITS, Platform, routingTo, WHOAMI } from './a-platform.ts';

/** Returns what a JWT says, and whether the key has signed it. */
function verifiedJwt(jwt: string, key: KeyObject) {
  const [header, claims, signature] = jwt.split('.') as [string, string, string];
  const jsonOf = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as { jti: string };
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const how = { ec: { dsaEncoding: 'ieee-p1363' as const }, rsa: pss, ed25519: {} }[key.asymmetricKeyType as 'ec' | 'rsa' | 'ed25519'];
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const isSigned = verify(digest, Buffer.from(`${header}.${claims}`), { key, ...how }, Buffer.from(signature, 'base64url'));
  return { header: jsonOf(header), claims: jsonOf(claims), isSigned };
}

describe('RoutingService @spec D1-5.4 @spec D1-5.6', () => {
  let home: Platform;
  let elsewhere: Platform;
  let clock: ManualClock;
  let routing: RoutingService;
  beforeEach(async () => {
    home = await Platform.open();
    elsewhere = await Platform.open();
    clock = new ManualClock();
    routing = routingTo(home.url, clock);
  });
  afterEach(() => {
    home.close();
    elsewhere.close();
  });
  const whoami = (withinMs?: number) => routing.call('shop', companyData.whoami, {}, { withinMs });
  const drain = (withinMs?: number) => routing.call('shop', feed.drainChanges, { query: {} }, { withinMs });
  const moved = () => new Refusal('region.rebase_required', { api_url: elsewhere.url });
  /** Calls until the gateway itself refuses a call, without asking the platform. Returns that refusal. */
  const leftAlone = () =>
    eventually(async () => {
      const requestsBefore = home.requests.length;
      const refusal = await whoami().catch((error: Refusal) => error);
      return refusal instanceof Refusal && refusal.message.includes('at present') && home.requests.length === requestsBefore
        ? refusal
        : undefined;
    });

  describe('tokens', () => {
    it('requests one token for many simultaneous calls', async () => {
      await Promise.all(Array.from({ length: 1000 }, () => whoami()));
      await whoami();

      expect(home.tokens).toBe(1);
      expect(home.requests).toHaveLength(1001);
    });

    it('renews a token before it expires, and uses the old one until then', async () => {
      await whoami();
      clock.passes(53 * 60_000);
      await whoami();
      expect(home.tokens).toBe(1);

      clock.passes(2 * 60_000);
      await whoami();
      await eventually(async () => {
        await whoami();
        return home.requests.at(-1) === 'Bearer token-2' || undefined;
      });
      expect(home.tokens).toBe(2);
      expect(home.requests.slice(0, 3)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
    });

    it('uses a token until it expires while the front door is down', async () => {
      await whoami();
      home.onToken = () => new Refusal('platform.out_of_order').after(300);
      clock.passes(55 * 60_000);
      expect(await whoami()).toEqual(WHOAMI);

      clock.passes(5 * 60_000);
      await expect(whoami()).rejects.toMatchObject({ key: 'platform.out_of_order', retryAfter: 300 });
    });

    it('replaces a refused token once', async () => {
      home.onData = ({ headers }) => (headers.authorization === 'Bearer token-1' ? new Refusal('auth.token_invalid') : WHOAMI);
      expect(await whoami()).toEqual(WHOAMI);

      home.onData = () => new Refusal('auth.token_invalid');
      await expect(whoami()).rejects.toMatchObject({ key: 'auth.token_invalid' });
      expect(home.tokens).toBe(3);
    });

    it('does not repeat the token request with refused credentials', async () => {
      home.onToken = () => new Refusal('oauth.invalid_client');
      for (let i = 0; i < 5; i++)
        await expect(whoami()).rejects.toMatchObject({ key: 'oauth.invalid_client', message: expect.stringContaining('operator') });

      expect(home.tokens).toBe(1);
    });
  });

  describe('client keys @gap D1-5.2', () => {
    it.each([
      ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
      ['EdDSA', () => generateKeyPairSync('ed25519')],
      ['PS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ])('sign a new assertion with %s for each attempt, for the front door alone', async (alg, newPair) => {
      const { privateKey, publicKey } = newPair();
      const shop = { client_id: 'svc_1', private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
      const env = { OPS_PORT: '0', NATS_URL: 'nats://127.0.0.1:4222', FRONT_DOOR_URL: home.url, SERVICES: JSON.stringify({ shop }) };
      const { credentials } = settingsOf(readConfig(Config, env));
      const bodies: URLSearchParams[] = [];
      home.onToken = (body) => {
        bodies.push(new URLSearchParams(body));
        return bodies.length === 1
          ? new Refusal('service.unavailable')
          : { token_type: 'Bearer', expires_in: 3600, access_token: 'token', api_url: home.url };
      };

      await routingTo(home.url, clock, { credentials }).call('shop', companyData.whoami, {});

      const sent = bodies.map((body) => verifiedJwt(body.get('client_assertion')!, publicKey));
      expect(sent.map(({ header }) => header)).toEqual([1, 2].map(() => ({ alg, typ: 'JWT' })));
      expect(sent.map(({ isSigned }) => isSigned)).toEqual([true, true]);
      for (const { claims } of sent) expect(claims).toMatchObject({ iss: 'svc_1', sub: 'svc_1', aud: home.url });
      expect(sent[0]!.claims.jti).not.toBe(sent[1]!.claims.jti);
      expect(bodies.map((body) => body.has('client_secret'))).toEqual([false, false]);
    });
  });

  describe('client secrets', () => {
    const secrets = (client_secret: string) => JSON.stringify({ shop: { client_id: 'svc_1', client_secret } });
    const onlyWith = (secret: string) => (body: string) =>
      body.includes(secret)
        ? { token_type: 'Bearer', expires_in: 3600, access_token: `token of ${secret}`, api_url: home.url }
        : new Refusal('oauth.invalid_client');
    const NATS_URL = 'nats://127.0.0.1:4222';

    it('reads the client secret from its file again for each new token', () =>
      inTempTree({ services: secrets('first') }, async (dir) => {
        const path = join(dir, 'services');
        const config = readConfig(Config, { OPS_PORT: '0', NATS_URL, FRONT_DOOR_URL: home.url, SERVICES_FILE: path });
        routing = routingTo(home.url, clock, { credentials: settingsOf(config).credentials });
        home.onToken = onlyWith('first');
        await whoami();

        writeFileSync(path, secrets('second'));
        home.onToken = onlyWith('second');
        home.onData = ({ headers }) => (headers.authorization === 'Bearer token of second' ? WHOAMI : new Refusal('auth.token_invalid'));

        expect(await whoami()).toEqual(WHOAMI);
        expect(home.tokens).toBe(2);

        writeFileSync(path, '{ half a fi');
        clock.passes(2 * 3600_000);
        expect(await whoami()).toEqual(WHOAMI);
      }));
  });

  describe('base URLs', () => {
    it('follows a 421 to another base URL, and uses that one from then on', async () => {
      home.onData = moved;
      await whoami();
      await whoami();

      expect(home.requests).toHaveLength(1);
      expect(elsewhere.requests).toHaveLength(2);
      expect(home.tokens).toBe(1);
    });

    it('returns an error after a second 421 instead of looping', async () => {
      home.onData = moved;
      elsewhere.onData = () => new Refusal('region.rebase_required', { api_url: home.url });

      await expect(whoami()).rejects.toMatchObject({ key: 'region.rebase_required' });
      expect(home.requests.length + elsewhere.requests.length).toBe(2);
    });
  });

  describe('hosts', () => {
    const refusal = { key: 'gateway.host_refused', status: 502, message: expect.stringContaining('API_HOSTS') as string };

    it('sends no token to an unlisted host that a 421 names @gap D1-5.6', async () => {
      home.onData = () => new Refusal('region.rebase_required', { api_url: 'http://evil.example' });

      await expect(whoami()).rejects.toMatchObject(refusal);
      await expect(drain()).rejects.toMatchObject(refusal);

      home.onData = () => WHOAMI;
      expect(await whoami()).toEqual(WHOAMI);
    });

    it('sends no token to an unlisted host that the token response names @gap D1-5.6', async () => {
      home.home = 'http://evil.example';

      await expect(whoami()).rejects.toMatchObject(refusal);
      expect([home.requests, elsewhere.requests]).toEqual([[], []]);
    });

    it('sends tokens to a host on the list @gap D1-5.6', async () => {
      routing = routingTo(home.url, clock, { hosts: new ApiHosts('http://front.example', ['127.0.0.1']) });
      home.home = elsewhere.url;

      expect(await whoami()).toEqual(WHOAMI);
      expect(elsewhere.requests).toHaveLength(1);
    });
  });

  describe('waits', () => {
    it('repeats a call after each Retry-After of the platform @spec D1-7', async () => {
      const pauses = [new Refusal('db.writes_paused').after(1), new Refusal('platform.out_of_order').after(1)];
      home.onData = () => pauses.shift() ?? { events: [], more: false };

      expect(await drain()).toEqual({ events: [], more: false });
      expect(home.requests).toHaveLength(3);
    });

    it('refuses waiting calls when the gateway stops', async () => {
      const shutdown = new AbortController();
      const retries = new RetryingCaller(new BasesService(), shutdown.signal);
      routing = routingTo(home.url, clock, {}, retries);
      home.onData = () => new Refusal('db.writes_paused').after(20);
      const waits = drain();
      await eventually(async () => home.requests.length === 1 || undefined);
      shutdown.abort();

      await expect(waits).rejects.toMatchObject({ key: 'service.unavailable', retryAfter: 1, message: expect.stringContaining('stops') });
    });

    it("returns the platform's refusal at once when its pause is longer than the caller's timeout", async () => {
      home.onData = () => new Refusal('platform.out_of_order');
      const startedAt = performance.now();

      await expect(whoami(60_000)).rejects.toMatchObject({ key: 'platform.out_of_order', retryAfter: 300 });
      expect(performance.now() - startedAt).toBeLessThan(30_000);
    });

    it('keeps calls below the rate limits, so that the platform need not refuse', async () => {
      routing = routingTo(home.url, clock, { limits: { ...NO_LIMITS, data: { burst: 5, per_second: 20 } } });
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: 10 }, () => whoami()));

      expect(performance.now() - startedAt).toBeGreaterThan(200);
    });

    it('repeats a call after a 429, when other callers use the same bucket', async () => {
      let refused = 0;
      home.onData = () => (refused++ < 1 ? new Refusal('rate_limit.exceeded').after(1) : WHOAMI);
      const startedAt = performance.now();
      await whoami();
      expect(performance.now() - startedAt).toBeGreaterThan(900);
      expect(home.requests).toHaveLength(2);
    });

    it('refuses a call that would wait beyond its timeout, with Retry-After', async () => {
      routing = routingTo(home.url, clock, { limits: { ...NO_LIMITS, data: { burst: 1, per_second: 0.1 } } });
      await whoami();

      await expect(whoami(1000)).rejects.toMatchObject({ key: 'service.unavailable', retryAfter: expect.any(Number) });
    });
  });

  describe('when the platform returns an unknown error key @gap D1-7', () => {
    const says = (status: number, headers: Record<string, string> = {}) => {
      home.onData = (_, response) =>
        void response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end('{"error":"strange","error_key":"strange.key"}');
    };

    it('gets another token after a 401', async () => {
      says(401);
      await expect(whoami()).rejects.toMatchObject({ key: 'auth.token_invalid' });
      expect(home.tokens).toBe(2);
    });

    it('pauses and repeats the call after a 429', async () => {
      says(429, { 'retry-after': '1' });
      const refuses = home.onData;
      home.onData = (request, response) => {
        home.onData = () => WHOAMI;
        return refuses(request, response);
      };

      expect(await whoami()).toEqual(WHOAMI);
      expect(home.requests).toHaveLength(2);
    });

    it('does not repeat a call after any other 4xx', async () => {
      says(409);
      await expect(whoami()).rejects.toMatchObject({ key: 'gateway.refusal_unknown', status: 400 });
      expect(home.requests).toHaveLength(1);
    });

    it('opens the circuit breaker after repeated 502 answers of a proxy', async () => {
      says(502);

      expect(await leftAlone()).toMatchObject({ key: 'service.unavailable' });
    });
  });

  describe('when the connection fails', () => {
    let proxy: FaultProxy;
    beforeEach(async () => {
      proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: home.port } });
      home.home = `http://127.0.0.1:${proxy.port}`;
      await whoami();
      home.requests = [];
    });
    afterEach(() => proxy.close());

    /** Repairs the line as soon as one call has failed on it. */
    const healsAfterOneFault = async () => {
      const bases = new BasesService();
      const through = bases.through.bind(bases);
      routing = routingTo(home.url, clock, {}, new RetryingCaller(bases, NEVER));
      await whoami();
      home.requests = [];
      bases.through = (base, send) =>
        through(base, send).catch(async (fault: unknown) => {
          await proxy.heal();
          throw fault;
        });
    };

    it('repeats a read after a broken connection', async () => {
      await healsAfterOneFault();
      proxy.cutAfter(10);
      proxy.reset();

      expect(await whoami()).toEqual(WHOAMI);
      expect(home.requests).toHaveLength(2);
    });

    it('never repeats a drain after a broken connection, because its events may already be deleted', async () => {
      home.onData = () => ({ events: [], more: false });
      proxy.cutAfter(10);
      proxy.reset();

      await expect(drain()).rejects.toMatchObject({
        key: 'service.unavailable',
        message: expect.stringContaining('may have taken effect'),
      });
      expect(home.requests).toHaveLength(1);
    });

    it('repeats even a drain after a refused connection', async () => {
      await healsAfterOneFault();
      home.onData = () => ({ events: [], more: false });
      proxy.refuse();
      proxy.reset();

      expect(await drain()).toEqual({ events: [], more: false });
    });

    it("ends a call without an answer at the caller's timeout", async () => {
      proxy.blackHole();
      const startedAt = performance.now();

      await expect(whoami(300)).rejects.toMatchObject({ key: 'service.unavailable', message: expect.stringContaining('in time') });
      expect(performance.now() - startedAt).toBeLessThan(USUAL_MS / 2);
    });

    it('sends no drain when too little time is left', async () => {
      await expect(drain(50)).rejects.toMatchObject({ key: 'service.unavailable', message: expect.stringContaining('nothing was sent') });
      expect(home.requests).toEqual([]);
    });

    it('waits for a slow answer without repeating the call', async () => {
      proxy.latency(150);

      expect(await whoami()).toEqual(WHOAMI);
      expect(home.requests).toHaveLength(1);
    });

    it('opens the circuit breaker while the connection keeps failing, and tries again after a pause', async () => {
      proxy.refuse();
      proxy.reset();

      expect(await leftAlone()).toMatchObject({ key: 'service.unavailable', retryAfter: expect.any(Number) });

      await proxy.heal();
      expect(await eventually(() => whoami().catch(() => undefined))).toEqual(WHOAMI);
    });
  });

  describe('cached answers @spec D1-4.4', () => {
    const key = (shareCode: string) => routing.call('shop', registry.readPublicKey, { params: { shareCode } });

    it("include persons' public keys", async () => {
      home.onData = () => ({ share_code: 'ANA', public_key: 'a' });
      await key('ANA');
      clock.passes(3600_000);
      expect(await key('ANA')).toEqual({ share_code: 'ANA', public_key: 'a' });
      expect(home.requests).toHaveLength(1);

      await key('BEN');
      expect(home.requests).toHaveLength(2);
    });

    it('include the field types, for a minute', async () => {
      home.onData = () => [];
      const types = () => routing.call('shop', registry.listFieldTypes, {});
      await types();
      await types();
      expect(home.requests).toHaveLength(1);

      clock.passes(61_000);
      await types();
      expect(home.requests).toHaveLength(2);
    });

    it('include no refusals', async () => {
      home.onData = () => new Refusal('keys.not_found');
      for (let i = 0; i < 2; i++) await expect(key('NOBODY')).rejects.toMatchObject({ key: 'keys.not_found' });

      expect(home.requests).toHaveLength(2);
    });
  });
});
