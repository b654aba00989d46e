import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect as tcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { photos } from '@codase/contracts';
import { ApiClient, servedEndpoints, UnexpectedAnswer } from '@codase/runtime/http';
import type { RunningService } from '@codase/runtime/service';
import { RUNTIME_METRICS } from '@codase/runtime/telemetry';
import { collectTelemetry, forgetTelemetry } from '@codase/testing';
import { request } from 'undici';
import { Kept, orders, OrdersModule, startOrders } from './orders-service.ts';

describe('the HTTP server', () => {
  let service: RunningService;
  let close: () => Promise<void> = async () => undefined;
  let base: string;
  beforeAll(async () => {
    ({ service, close } = await startOrders());
    base = service.url!;
  });
  afterAll(() => close());

  const order = { params: { shop: 'corner' }, query: {}, body: { item: 'tea', count: 2 } };
  const post = (
    body: string | Buffer,
    headers: Record<string, string | string[]> = { 'content-type': 'application/json' },
    path = '/shops/corner/orders',
  ) => request(`${base}${path}`, { method: 'POST', headers, body });

  it('serves the path, query, body and status of a contract, and returns only the members of its result', async () => {
    const answer = await new ApiClient(base).call(orders.place, order);
    expect(answer).toEqual({ shop: 'corner', item: 'tea', count: 2, express: 'no' });

    const raw = await post('{"item":"tea","count":1}');
    expect(raw.statusCode).toBe(201);
    expect(raw.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    expect(await raw.body.text()).not.toContain('internal_note');
  });

  it('reads and writes XML, for refusals too', async () => {
    const placed = await post('<order><item>tea</item><count>3</count></order>', {
      'content-type': 'application/xml',
      accept: 'application/xml',
    });
    expect(placed.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(await placed.body.text()).toContain('<count type="number">3</count>');

    const refused = await post('<order><item>tea</item></order>', { 'content-type': 'text/xml', accept: 'text/xml' });
    expect(refused.statusCode).toBe(400);
    expect(await refused.body.text()).toContain('<error_key>request.invalid</error_key>');
  });

  const tea = '{"item":"tea","count":1}';
  it.each<[string, string | Buffer, Record<string, string | string[]>, number, string, string]>([
    ['broken JSON', '{"item":', {}, 400, 'request.invalid', 'body: must be JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'request.invalid', 'body: must be UTF-8'],
    ['a missing member', '{"item":"tea"}', {}, 400, 'request.invalid', 'count: is missing; it must be a number'],
    ['an unknown member', '{"item":"tea","count":1,"admin":true}', {}, 400, 'request.invalid', 'body: does not take admin'],
    ['a wrong type', '{"item":"tea","count":"many"}', {}, 400, 'request.invalid', 'count: must be a number'],
    ['no body', '', {}, 400, 'request.invalid', 'item: is missing; it must be a text'],
    [
      'another format',
      'item=tea',
      { 'content-type': 'text/csv' },
      415,
      'request.format_unsupported',
      'Content-Type: must be application/json',
    ],
    [
      'a packed body',
      gzipSync(tea),
      { 'content-encoding': 'gzip' },
      415,
      'request.format_unsupported',
      'Content-Encoding: must be left out',
    ],
    [
      'another charset',
      tea,
      { 'content-type': 'application/json; charset=ISO-8859-1' },
      415,
      'request.format_unsupported',
      'Content-Type: its charset must be utf-8',
    ],
    [
      'two Authorization headers',
      tea,
      { authorization: ['Bearer a', 'Bearer a'] },
      400,
      'request.invalid',
      'Authorization: must be given once',
    ],
    ['an answer we cannot give', '{}', { accept: 'image/png' }, 406, 'request.format_unacceptable', 'Accept application/json'],
    [
      'a body that nests too deep',
      `{"item":${'['.repeat(257)}${']'.repeat(257)}}`,
      {},
      400,
      'request.invalid',
      'body: must nest at most 256 levels deep',
    ],
    [
      'a body too large',
      `{"item":"${'x'.repeat(1024 * 1024)}"}`,
      {},
      413,
      'request.too_large',
      'body: must have at most 1048576 bytes here',
    ],
  ])('refuses %s with a catalogued key and the reason', async (_, body, headers, status, key, message) => {
    const answer = await post(body, { 'content-type': 'application/json', ...headers });

    expect(answer.statusCode).toBe(status);
    expect(await answer.body.json()).toMatchObject({ error_key: key, error: expect.stringContaining(message) });
  });

  it.each(['application/json; charset=UTF-8', 'application/json;charset="utf-8"', 'application/json; charset=us-ascii'])(
    'accepts a body of type %s',
    async (type) => {
      expect((await post(tea, { 'content-type': type, 'content-encoding': 'identity' })).statusCode).toBe(201);
    },
  );

  it('names the invalid member in a refusal, but never its value', async () => {
    const answer = await post('{"item":"tea","count":"hunter2"}');

    const body = await answer.body.text();
    expect(body).toContain('count');
    expect(body).not.toContain('hunter2');
  });

  it.each([
    ['an unknown route', '/nowhere', 404, 'request.not_found'],
    ['a broken escape', '/shops/%zz/orders', 400, 'request.invalid'],
    ['a parameter too long', `/shops/${'x'.repeat(600)}/orders`, 404, 'request.not_found'],
  ])('refuses a URL with %s', async (_, path, status, key) => {
    const answer = await post('{"item":"tea","count":1}', { 'content-type': 'application/json' }, path);

    expect(await answer.body.json()).toMatchObject({ error_key: key });
    expect(answer.statusCode).toBe(status);
  });

  it('runs no handler for HEAD or OPTIONS on any route', async () => {
    const before = service.app.get(Kept).checks;
    for (const method of ['HEAD', 'OPTIONS'] as const)
      expect((await request(`${base}/sign-in?shop=corner`, { method })).statusCode).toBe(404);

    expect(service.app.get(Kept).checks).toBe(before);
    await request(`${base}/sign-in?shop=corner`);
    expect(service.app.get(Kept).checks).toBe(before + 1);
  });

  it.each(METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD'].includes(method)))(
    'answers %s on a GET route with a refusal in its own format',
    async (method) => {
      const answer = await exchange(`${method} /trouble HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);

      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).toContain('"error_key":"request.');
    },
  );

  it.each([
    ['bytes that are not HTTP', 'hello there\r\n\r\n', '400', 'request.invalid'],
    ['huge headers', `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, '413', 'request.too_large'],
  ])('refuses raw data: %s', async (_, bytes, status, key) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`"error_key":"${key}"`);
  });

  it('answers an unexpected error with 503 and no internal details', async () => {
    const answer = await request(`${base}/trouble`);

    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(await answer.body.json()).toEqual({
      error: 'The service cannot answer now: repeat the call later',
      error_key: 'service.unavailable',
    });
  });

  it('counts an unexpected error once, by its type', async () => {
    const { measured } = collectTelemetry();
    await (await request(`${base}/trouble`)).body.dump();

    const counted = (await measured()).filter(({ name }) => name === RUNTIME_METRICS.unexpected.name);
    forgetTelemetry();
    expect(counted.map(({ value, attributes }) => [value, attributes])).toEqual([[1, { 'error.type': 'Error' }]]);
  });

  it('authenticates the caller before it reads the body', async () => {
    const stranger = await post('{"not json', { 'content-type': 'application/json' }, '/guarded');
    expect(stranger.statusCode).toBe(401);
    expect(stranger.headers['www-authenticate']).toBe('Bearer, DPoP algs="ES256"');

    expect(await new ApiClient(base, { token: 'good' }).call(orders.guarded, { body: {} })).toEqual({ service_id: 'shop' });
  });

  describe('a response that is not structured data', () => {
    const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

    it('is sent as bytes with its own content type and digest', async () => {
      const answer = await request(`${base}/receipts/raw`);

      expect(await answer.body.text()).toBe('one tea');
      expect(answer.headers).toMatchObject({ 'content-type': 'text/plain', 'x-platform-content-sha256': digestOf('one tea') });
      // A file of a user may say that it is HTML or SVG. With these headers a browser runs nothing in it.
      expect(answer.headers).toMatchObject({
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
      });
    });

    it.each(['application/json', 'application/xml'])('is sent as %s with the digest of exactly that serialisation', async (accept) => {
      const answer = await request(`${base}/receipts/sealed`, { headers: { accept } });

      const text = await answer.body.text();
      expect(text).toContain('encrypted');
      expect(answer.headers['content-type']).toContain(accept);
      expect(answer.headers['x-platform-content-sha256']).toBe(digestOf(text));
      expect(await new ApiClient(base).call(orders.receipt, { params: { kind: 'raw' } })).toMatchObject({ bytes: Buffer.from('one tea') });
    });

    it.each(['text/plain', 'image/png', 'image/*'])(
      'is a file for a caller that accepts %s, and JSON when there is no file',
      async (accept) => {
        const [file, other, refusal] = await Promise.all(
          ['raw', 'sealed', 'none'].map((kind) => request(`${base}/receipts/${kind}`, { headers: { accept } })),
        );

        expect([file!.statusCode, await file!.body.text()]).toEqual([200, 'one tea']);
        expect([other!.statusCode, await other!.body.json()]).toEqual([200, expect.objectContaining({ encrypted: true })]);
        expect([refusal!.statusCode, await refusal!.body.json()]).toEqual([400, expect.objectContaining({ error_key: 'request.invalid' })]);
      },
    );

    it('is returned as a file by the API client even when its bytes are JSON', async () => {
      const answer = await new ApiClient(base).call(orders.receipt, { params: { kind: 'json' } });

      expect(answer).toEqual({ content_type: 'application/json', bytes: Buffer.from('{"tea":1}') });
    });

    it('is empty for status 204', async () => {
      const answer = await request(`${base}/orders/1`, { method: 'DELETE' });

      expect(answer.statusCode).toBe(204);
      expect(answer.headers['content-type']).toBeUndefined();
      expect(await answer.body.text()).toBe('');
    });

    it('is an HTML page for a browser, also when it is a refusal', async () => {
      const page = await request(`${base}/sign-in?shop=corner`, { headers: { accept: 'text/html' } });
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
      });
      expect(await page.body.text()).toBe('<h1>corner</h1>');

      const refused = await request(`${base}/sign-in?who=ana`, { headers: { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' } });
      expect(refused.statusCode).toBe(400);
      expect(await refused.body.text()).toBe('<p>query parameter shop: must be a text, said to ana');

      const program = await request(`${base}/sign-in`, { headers: { accept: 'application/json' } });
      expect(await program.body.json()).toMatchObject({ error_key: 'request.invalid' });
    });

    it('is a redirect', async () => {
      const answer = await post('client_id=a&client_secret=b', { 'content-type': 'application/x-www-form-urlencoded' }, '/sign-in');

      expect([answer.statusCode, answer.headers['location'], await answer.body.text()]).toEqual([303, 'http://shop/a/b', '']);
      expect(answer.headers['content-type']).toBeUndefined();
    });
  });

  describe('a client that authenticates in the Authorization header', () => {
    const basic = (id: string, secret: string) =>
      `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
    const form = (body: string, authorization: string) =>
      post(body, { 'content-type': 'application/x-www-form-urlencoded', authorization }, '/sign-in');

    it('is treated as if it had sent its credentials as parameters', async () => {
      expect((await form('', basic('a', 'b:ü/+'))).headers['location']).toBe(`http://shop/a/b:ü/+`);
    });

    it.each([
      ['twice', 'client_secret=b', basic('a', 'b')],
      ['as two clients', 'client_id=c', basic('a', 'b')],
      ['without a colon', '', `Basic ${Buffer.from('ab').toString('base64')}`],
      ['with a broken escape', '', `Basic ${Buffer.from('a:%zz').toString('base64')}`],
      ['with a NUL', '', basic('a', 'b\0')],
      ['in another scheme', '', 'Digest username=a'],
    ])('is refused when it authenticates %s', async (_, body, authorization) => {
      const answer = await form(body, authorization);

      expect(answer.statusCode).toBe(400);
      expect(await answer.body.json()).toMatchObject({ error_key: 'oauth.invalid_request' });
    });
  });

  it('accepts a body as long as its endpoint allows', async () => {
    const pixel = `R0lGODlhAQABAAAA${'A'.repeat(2 * 1024 * 1024)}`;
    const photo = { file: `data:image/gif;base64,${pixel}`, original_name: 'a.gif', mime_type: 'image/gif', size: 1 };

    expect(await new ApiClient(base, { token: 'good' }).call(photos.addPhoto, { body: photo })).toMatchObject({ id: 'photo' });
  });

  it('answers 404 on an endpoint that is not built yet, only to authenticated callers', async () => {
    await expect(new ApiClient(base).call(orders.later, {})).rejects.toMatchObject({ key: 'auth.token_invalid' });
    await expect(new ApiClient(base, { token: 'good' }).call(orders.later, {})).rejects.toMatchObject({ key: 'request.not_found' });
  });

  it.each(['/no%77here', '/a/../nowhere', 'http://other/nowhere'])('normalises the path of %s as the router does', async (target) => {
    expect(await exchange(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)).toContain('There is no /nowhere');
  });

  it('refuses an endpoint of another base with 421 and the URL of that base', async () => {
    await expect(new ApiClient(base).call(orders.far, {})).rejects.toMatchObject({
      key: 'region.rebase_required',
      extras: { api_url: 'http://front-door' },
    });
    expect(servedEndpoints(OrdersModule).map(({ name }) => name)).toEqual([
      'place_order',
      'trouble',
      'receipt',
      'cancel',
      'sign_in',
      'signed_in',
      'add_photo',
      'guarded',
    ]);
  });

  it('lets the API client distinguish its refusals from responses of other servers', async () => {
    await expect(new ApiClient(base).call(orders.trouble, {})).rejects.toMatchObject({ key: 'service.unavailable', retryAfter: 5 });
    await expect(new ApiClient(service.opsUrl).call(orders.trouble, {})).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  async function exchange(bytes: string): Promise<string> {
    const socket = tcp(Number(new URL(base).port), '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    await once(socket, 'close');
    return answer;
  }
});
