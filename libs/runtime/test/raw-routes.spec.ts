import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Module, RequestMethod, type INestApplicationContext } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryModule, DiscoveryService, MetadataScanner, NestFactory } from '@nestjs/core';
import { endpoint, Refusal } from '@codase/contracts';
import {
  servedElsewhere,
  createHttpServer,
  openRoutes,
  Refusals,
  Serves,
  ServesRaw,
  type RawAnswer,
  type RawRequest,
} from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { z } from 'zod';

const contract = (name: string, method: 'GET' | 'PUT') =>
  endpoint(name, `${method} /shops/{shop}`, {
    at: ['region'],
    spec: 'D1-4',
    summary: 'A shop',
    description: 'For a test alone',
    callers: ['anyone'],
    params: z.object({ shop: z.string() }),
    result: z.object({}),
    refusals: [],
  });
const READ = contract('read', 'GET');

const refused: string[] = [];
const began: RawRequest<'stream'>[] = [];

@Controller()
class RawHttp {
  @Serves(READ)
  read() {
    return {};
  }

  @ServesRaw({ methods: ['POST'], path: '/bytes/{name}', body: 'bytes', largest: 1000, onRefused: ({ key }) => refused.push(key) })
  async bytes({ params, headers, body }: RawRequest<'bytes'>): Promise<RawAnswer> {
    if (params['name'] === 'nobody') throw new Refusal('auth.token_invalid');
    return { status: 202, body: { name: params['name'], type: headers['content-type'], bytes: (await body()).toString('latin1') } };
  }

  @ServesRaw({ methods: ['GET', 'PUT'], path: '/stream', body: 'stream' })
  async stream(request: RawRequest<'stream'>): Promise<RawAnswer> {
    began.push(request);
    if (request.url.endsWith('?no')) throw new Refusal('request.too_large');
    if (request.url.endsWith('?trouble')) throw new Error('choked on hunter2');
    if (request.url.endsWith('?wait')) await pause(60_000, undefined, { signal: request.gone }).catch(() => undefined);
    const broken = request.url.endsWith('?broken');
    const answer = Readable.from(
      (async function* () {
        for await (const chunk of request.body) yield `<${String(chunk)}>`;
        if (broken) throw new Error('the line broke');
      })(),
    );
    if (broken) answer.unshift('half');
    return { status: 201, headers: { 'content-type': 'text/x-chunks', 'x-own': 'yes' }, body: answer };
  }
}

@Module({ imports: [DiscoveryModule], controllers: [RawHttp, servedElsewhere([contract('change', 'PUT')])] })
class RawModule {}

describe('a raw route', () => {
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  let url: string;
  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(RawModule, { logger: false });
    http = createHttpServer(silentLog);
    openRoutes(app, http, new Refusals(silentLog));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await http?.close();
    await app?.close();
  });

  const begin = (method: string, path: string, headers: OutgoingHttpHeaders = {}) =>
    httpRequest(`${url}${path}`, { method, agent: false, headers });
  const send = async (method: string, path: string, body: string | Buffer = '', headers: OutgoingHttpHeaders = {}) => {
    const request = begin(method, path, headers);
    const answering = once(request, 'response') as Promise<[IncomingMessage]>;
    request.end(body);
    const [answer] = await answering;
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };

  it('receives exactly the bytes that were sent, with any content type', async () => {
    const sent = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a]);

    const { status, headers, body } = await send('POST', '/bytes/shop', sent, { 'content-type': 'application/json', accept: 'image/png' });

    expect({ status, ...JSON.parse(body) }).toEqual({
      status: 202,
      name: 'shop',
      type: 'application/json',
      bytes: sent.toString('latin1'),
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  });

  it('reports its refusals, including those of the server', async () => {
    refused.length = 0;

    expect(await send('POST', '/bytes/nobody')).toMatchObject({ status: 401, body: expect.stringContaining('auth.token_invalid') });
    expect(await send('POST', '/bytes/shop', Buffer.alloc(1001))).toMatchObject({ status: 413 });
    expect(await send('GET', '/bytes/shop')).toMatchObject({ status: 404 });
    expect(refused).toEqual(['auth.token_invalid', 'request.too_large']);
  });

  it('reads a request body as it arrives, and responds while it reads', async () => {
    const request = begin('PUT', '/stream', { 'content-type': 'application/json' });
    request.write('one');
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(first.toString()).toBe('<one>');

    request.end('two');
    expect(await text(answer)).toBe('<two>');
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['x-own']]).toEqual([201, 'text/x-chunks', 'yes']);
  });

  it('responds before it closes a connection whose body it did not read', async () => {
    const request = begin('PUT', '/stream?no');
    request.on('error', () => undefined);
    request.write('one');
    const [answer] = (await once(request, 'response')) as [IncomingMessage];

    expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close']);
    expect(await text(answer)).toContain('request.too_large');
  });

  it('reads the remaining bytes of a refused upload, and keeps the connection alive', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const uploads = async () => {
      const request = httpRequest(`${url}/stream?no`, { method: 'PUT', agent });
      const answering = once(request, 'response') as Promise<[IncomingMessage]>;
      request.end(Buffer.alloc(3 * 1024 * 1024));
      const [answer] = await answering;
      await text(answer);
      return [answer.statusCode, answer.headers.connection, request.reusedSocket];
    };

    expect(await uploads()).toEqual([413, 'keep-alive', false]);
    expect(await uploads()).toEqual([413, 'keep-alive', true]);
    agent.destroy();
  });

  it('reveals no details of an error, and aborts a response that fails halfway', async () => {
    const { status, body } = await send('GET', '/stream?trouble');
    expect([status, body]).toEqual([503, expect.not.stringContaining('hunter2')]);

    await expect(send('GET', '/stream?broken')).rejects.toThrow(/aborted|premature|hang up/i);
  });

  it('notices that its client disconnected', async () => {
    began.length = 0;
    const request = begin('GET', '/stream?wait').end();
    request.on('error', () => undefined);
    while (began.length === 0) await pause(5);
    const [waiting] = began;

    request.destroy();

    while (!waiting!.gone.aborted) await pause(5);
    expect(waiting!.gone.aborted).toBe(true);
  });

  it('is visible to the discovery tools of Nest', () => {
    const routes = app
      .get(DiscoveryService)
      .getControllers()
      .flatMap(({ instance }) => {
        const controller = instance as Record<string, object>;
        return app
          .get(MetadataScanner)
          .getAllMethodNames(Object.getPrototypeOf(controller) as object)
          .map((name) => {
            const method = Reflect.getMetadata(METHOD_METADATA, controller[name]!) as RequestMethod;
            return `${RequestMethod[method]} ${Reflect.getMetadata(PATH_METADATA, controller[name]!) as string}`;
          });
      });

    expect(routes.toSorted()).toEqual(['ALL /stream', 'GET /shops/:shop', 'POST /bytes/:name', 'PUT /shops/:shop']);
  });
});
