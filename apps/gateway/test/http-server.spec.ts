import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { BODY_BYTES, Refusal, UPLOAD_BODY_BYTES } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { GATEKEEPER, createHttpServer, openRoutes, Refusals } from '@codase/runtime/http';
import { LiveVariable } from '@codase/runtime/config';
import { silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, forgetTelemetry } from '@codase/testing';
import type { Settings } from '../src/config.ts';
import { ApiHosts } from '../src/routing/api-hosts.ts';
import { RoutingService } from '../src/routing/routing.service.ts';
import { CallerTokens } from '../src/streams/caller-tokens.ts';
import { streamsGatekeeper } from '../src/streams/streams-gatekeeper.service.ts';
import { StreamsHttp } from '../src/streams/streams.http.ts';
import { NO_LIMITS, Platform, routingTo, WHOAMI } from './a-platform.ts';

const TOKEN = 't'.repeat(32);
const FILE = '/v1/shop/read_slot_file?connectionId=con_1&serviceFieldId=fld_1';
const MESSAGE = '/v1/shop/send_message?connectionId=con_1';

describe('HTTP server of the gateway @spec D1-2.8', () => {
  let home: Platform;
  let elsewhere: Platform;
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  let url: string;
  beforeEach(async () => {
    home = await Platform.open();
    elsewhere = await Platform.open();
    const client = (name: string, kind: 'service' | 'account') => [name, { name, kind }] as const;
    const credentials = (name: string) => new LiveVariable({ [name]: { client_id: name, client_secret: 's' } });
    const settings: Settings = {
      frontDoorUrl: home.url,
      hosts: new ApiHosts(home.url),
      clients: new Map([client('shop', 'service'), client('acme', 'account'), client('other', 'service')]),
      credentials: { service: credentials('shop'), account: credentials('acme') },
      limits: NO_LIMITS,
      queue: 100,
      http: undefined,
      callers: { backend: { token: TOKEN, may: ['shop', 'acme'] } },
    };
    @Module({
      imports: [DiscoveryModule],
      controllers: [StreamsHttp],
      providers: [
        { provide: RoutingService, useValue: routingTo(home.url, new ManualClock(), settings) },
        { provide: CallerTokens, useValue: new CallerTokens(settings.callers) },
        { provide: GATEKEEPER, useFactory: streamsGatekeeper, inject: [CallerTokens] },
      ],
    })
    class Streams {}
    app = await NestFactory.createApplicationContext(Streams, { logger: false });
    http = createHttpServer(silentLog);
    openRoutes(app, http, new Refusals(silentLog));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    home.close();
    elsewhere.close();
    await http.close();
    await app.close();
  });

  const begin = (method: string, path: string, headers: OutgoingHttpHeaders = {}): ClientRequest =>
    httpRequest(`${url}${path}`, { method, agent: false, headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  const answerTo = async (request: ClientRequest) => ((await once(request, 'response')) as [IncomingMessage])[0];
  const ask = async (
    method: string,
    path: string,
    { headers = {}, body = '' as string | Buffer }: { headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
  ) => {
    const request = begin(method, path, headers);
    const answer = answerTo(request);
    request.end(body);
    const { statusCode, headers: got } = await answer;
    return { status: statusCode, headers: got, body: await text(await answer) };
  };
  const refusal = async (...replies: Parameters<typeof ask>) => {
    const { status, body, headers } = await ask(...replies);
    return { status, key: (JSON.parse(body) as { error_key: string }).error_key, retry: headers['retry-after'] };
  };

  it('streams a file from the platform, with its type and digest', async () => {
    let finish = () => {};
    home.onData = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'x-platform-content-sha256': 'abc' }).write('first');
      finish = () => response.end(' and last');
      return undefined;
    };
    const request = begin('GET', FILE).end();
    const answer = await answerTo(request);
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(first.toString()).toBe('first'); // it comes while the platform still sends

    finish();
    expect(await text(answer)).toBe(' and last');
    expect(answer.headers).toMatchObject({ 'content-type': 'image/png', 'x-platform-content-sha256': 'abc' });
  });

  it('continues the trace of an authorized caller', async () => {
    collectTelemetry();
    const trace = '0af7651916cd43dd8448eb211c80319c';
    let handedOn: string | undefined;
    home.onData = (request) => {
      handedOn = request.headers['traceparent'] as string | undefined;
      return {};
    };

    await ask('GET', FILE, { headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` } });
    forgetTelemetry();

    expect(handedOn).toContain(trace);
  });

  it('streams a request body to the platform', async () => {
    const first = new Promise<string>((arrived) => {
      home.onData = (request, response) => {
        request.once('data', (bytes: Buffer) => arrived(bytes.toString()));
        request.on('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end('{"message_id":"msg_1"}'));
        return undefined;
      };
    });
    const request = begin('POST', MESSAGE, { 'content-type': 'application/json' });
    request.write('{"body":');
    expect(await first).toBe('{"body":'); // while the caller still sends

    const answer = answerTo(request);
    request.end('"x"}');
    expect(await text(await answer)).toBe('{"message_id":"msg_1"}');
  });

  it('answers 503 to a request with a body after a 421, and sends its repeat to the new base URL @spec D1-5.6', async () => {
    home.onData = () => new Refusal('region.rebase_required', { api_url: elsewhere.url });
    elsewhere.onData = (request, response) => void request.resume().on('end', () => response.writeHead(201).end('{}'));

    expect(await refusal('POST', MESSAGE, { body: '{}' })).toEqual({ status: 503, key: 'service.unavailable', retry: '1' });
    expect(await ask('POST', MESSAGE, { body: '{}' })).toMatchObject({ status: 201 });
    expect([home.requests.length, elsewhere.requests.length]).toEqual([1, 1]);
  });

  it('follows a 421 for a read at once @spec D1-5.6', async () => {
    home.onData = () => new Refusal('region.rebase_required', { api_url: elsewhere.url });

    expect(JSON.parse((await ask('GET', '/v1/shop/whoami')).body)).toEqual(WHOAMI);
  });

  it("passes on the platform's refusals", async () => {
    home.onData = () => new Refusal('company_data.connection_not_found');
    expect(await refusal('GET', FILE)).toMatchObject({ status: 404, key: 'company_data.connection_not_found' });

    home.onData = () => new Refusal('db.writes_paused');
    expect(await refusal('POST', MESSAGE, { body: '{}' })).toEqual({ status: 503, key: 'db.writes_paused', retry: '30' });
  });

  it('refuses unknown callers, clients that a caller may not act as, and unknown paths', async () => {
    expect(await refusal('GET', FILE, { headers: { authorization: 'Bearer wrong' } })).toMatchObject({
      status: 401,
      key: 'auth.token_invalid',
    });
    expect(await refusal('GET', '/v1/other/whoami')).toMatchObject({ status: 403, key: 'auth.client_endpoint_forbidden' });
    expect(await refusal('GET', '/v1/shop/nonsense')).toMatchObject({ status: 404, key: 'request.not_found' });
    expect(await refusal('GET', '/elsewhere')).toMatchObject({ status: 404, key: 'request.not_found' });
    expect(await refusal('GET', '/elsewhere', { headers: { authorization: 'Bearer wrong' } })).toMatchObject({ status: 401 });
    expect(home.requests).toEqual([]);
  });

  it('refuses to drain a feed, because that would take the events from their consumer', async () => {
    expect(await refusal('GET', '/v1/shop/drain_changes')).toMatchObject({ status: 403, key: 'auth.client_endpoint_forbidden' });
    expect(home.requests).toEqual([]);
  });

  it('offers account clients their own operations, and service clients theirs', async () => {
    home.onData = () => ({ items: [] });

    expect(await ask('GET', '/v1/acme/list_services')).toMatchObject({ status: 200 });
    expect(await refusal('GET', '/v1/acme/whoami')).toMatchObject({ status: 403 });
    expect(await refusal('GET', '/v1/shop/list_services')).toMatchObject({ status: 403 });
  });

  it("refuses a body over its operation's limit, with or without a content-length", async () => {
    home.onData = (request) => void request.resume();

    expect(
      await refusal('POST', MESSAGE, { headers: { 'content-length': BODY_BYTES + 1 }, body: Buffer.alloc(BODY_BYTES + 1) }),
    ).toMatchObject({ status: 413 });
    expect(
      await refusal('POST', MESSAGE, { headers: { 'transfer-encoding': 'chunked' }, body: Buffer.alloc(2 * BODY_BYTES) }),
    ).toMatchObject({ status: 413 });
    const long = { headers: { 'content-length': UPLOAD_BODY_BYTES + 1 }, body: Buffer.alloc(BODY_BYTES) };
    expect(await refusal('POST', '/v1/shop/stage_run_file?flowId=flow_1', long)).toMatchObject({ status: 400, key: 'documents.too_large' });
  });

  it('aborts its answer when the platform breaks off a file', async () => {
    home.onData = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write('half');
      setTimeout(() => response.destroy(), 50);
      return undefined;
    };

    await expect(ask('GET', FILE)).rejects.toThrow(/aborted|premature/i);
  });

  it('cancels its call to the platform when the caller disconnects', async () => {
    const ended = new Promise((resolve) => (home.onData = (request) => void request.socket.once('close', () => resolve('given up'))));
    const request = begin('GET', FILE).end();
    request.on('error', () => undefined);
    while (home.requests.length === 0) await sleep(5);

    request.destroy();
    expect(await ended).toBe('given up');
  });

  it("refuses a call that gets no answer within the caller's timeout", async () => {
    home.onData = () => undefined;

    expect(await refusal('GET', FILE, { headers: { 'codase-timeout-ms': '300' } })).toMatchObject({
      status: 503,
      key: 'service.unavailable',
    });
  });
});
