import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as soon } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Controller, Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { endpoint, Refusal, UPLOAD_BODY_BYTES, type Endpoint, type Input } from '@codase/contracts';
import {
  BODY_SINKS,
  createHttpServer,
  type EventSink,
  EventStream,
  GATEKEEPER,
  JSON_FORMAT,
  openRoutes,
  Refusals,
  Serves,
  StreamedAnswer,
  type Call,
  type Gatekeeper,
} from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually } from '@codase/testing';
import { z } from 'zod';
import { bodyDeadlines } from '../src/http/body-deadlines.ts';
import { bodyMemory } from '../src/http/body-memory.ts';
import { openOpsServer } from '../src/service/ops-server.ts';

const DECLARED = { at: ['region'], spec: 'D1-4', summary: 'For a test', description: 'For a test alone' } as const;
const upload = endpoint('upload', 'POST /uploads', {
  ...DECLARED,
  callers: ['service'],
  body: z.strictObject({ file: z.string() }),
  largest: 2 * UPLOAD_BODY_BYTES,
  result: z.object({ length: z.number() }),
  refusals: ['auth.token_invalid', 'request.invalid'],
});
const streamedUpload = { ...upload, name: 'streamed_upload', path: '/streamed', streams: 'to rest' } as const;
const download = endpoint('download', 'GET /downloads', {
  ...DECLARED,
  callers: ['service'],
  result: z.object({ file: z.string() }),
  refusals: ['auth.token_invalid'],
});
const streamedDownload = { ...download, name: 'streamed_download', path: '/streamed-downloads' } as const;
const quiet = endpoint('quiet', 'GET /quiet', {
  ...DECLARED,
  callers: ['service'],
  produces: 'events',
  result: z.object({ id: z.string(), event: z.string(), data: z.unknown() }),
  refusals: ['auth.token_invalid'],
});
const signUp = endpoint('sign_up_here', 'POST /sign-up', {
  ...DECLARED,
  callers: ['anyone'],
  body: z.strictObject({ name: z.string() }),
  result: z.object({ name: z.string() }),
  refusals: ['request.invalid'],
});
const hello = endpoint('hello', 'GET /hello', {
  ...DECLARED,
  callers: ['anyone'],
  result: z.object({}),
  refusals: [],
});

type Quiet = z.infer<typeof quiet.result>;
/** The sink of the last stream of events, into which nothing is written unless a test does. */
let quietSink: EventSink<Quiet> | undefined;

let working: Promise<void> = Promise.resolve();
/** What the gatekeeper waits for before it admits a company; undefined when it admits at once. */
let admitting: Promise<void> | undefined;

/** Whether an endless download was ended. */
let wasEnded = false;
async function* spaces() {
  try {
    for (;;) yield Buffer.alloc(64 * 1024, ' ');
  } finally {
    wasEnded = true;
  }
}

@Controller()
class UploadsHttp {
  @Serves(upload)
  async upload({ body }: Input<typeof upload>) {
    await working;
    return { length: body.file.length };
  }

  @Serves(streamedUpload)
  streamed({ body }: Input<typeof streamedUpload>) {
    return { length: body.file.length };
  }

  @Serves(download)
  async download() {
    await working;
    return { file: 'x'.repeat(MB) };
  }

  @Serves(streamedDownload)
  streamedDownload() {
    const endless = { content_type: JSON_FORMAT.type, sha256: '', bytes: null, chunks: spaces };
    return new StreamedAnswer<{ file: string }>(endless, () => Promise.reject(new Error('it never ends')));
  }

  @Serves(quiet)
  quiet() {
    return new EventStream<Quiet>((sink) => void (quietSink = sink));
  }

  @Serves(signUp)
  signUp({ body }: Input<typeof signUp>) {
    return body;
  }

  @Serves(hello)
  hello() {
    return {};
  }
}

/** Admits every caller with a token, and takes the token as the company. */
class CompaniesOnly implements Gatekeeper {
  admit({ callers }: Endpoint, { authorization }: Call) {
    if (callers.includes('anyone')) return null;
    if (!authorization) throw new Refusal('auth.token_invalid');
    const caller = { kind: 'service', service_id: 'shop', client_id: 'svc_1', company_user_id: authorization };
    return admitting ? admitting.then(() => caller) : caller;
  }
  pointElsewhere = () => Promise.reject(new Refusal('request.not_found'));
  turnAway = () => Promise.reject(new Refusal('request.not_found'));
}

/** Discards the long strings of bodies, and counts those that were abandoned. */
const sinks = {
  abandoned: 0,
  open: () => ({ write: async () => undefined, end: async () => undefined, abandon: async () => void (sinks.abandoned += 1) }),
};

@Module({
  imports: [DiscoveryModule],
  controllers: [UploadsHttp],
  providers: [
    { provide: GATEKEEPER, useClass: CompaniesOnly },
    { provide: BODY_SINKS, useValue: sinks },
  ],
})
class UploadsModule {}

const MB = 1024 * 1024;
const until = (holds: () => boolean) => eventually(async () => holds() || undefined);

describe('the HTTP server under hostile clients', () => {
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  let url: string;
  const memory = bodyMemory(8 * MB);
  const inUse = () => memory.callers.inUse + memory.strangers.inUse;
  const opened: Socket[] = [];
  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(UploadsModule, { logger: false });
    const timeouts = { headersMs: 1000, requestMs: 30_000, idleMs: 60_000 };
    http = createHttpServer(silentLog, { memory, timeouts, connections: { most: 30, perAddress: 10 }, trustProxy: '127.0.0.9' });
    openRoutes(app, http, new Refusals(silentLog));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await eventually(async () => (inUse() === 0 && (await connections()) === 0) || undefined);
  });
  afterAll(async () => {
    await http?.close();
    await app?.close();
  });

  const dial = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress, allowHalfOpen: true });
    socket.on('error', () => undefined);
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const saidTo = (socket: Socket) => {
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return () => said;
  };
  /** Waits until the server ends the connection: callers here never close by themselves. */
  const closing = (socket: Socket) => Promise.race([once(socket.resume(), 'end'), once(socket, 'close')]);
  const connections = () => promisify(http.server.getConnections.bind(http.server))();
  const head = (path: string, headers: readonly string[]) => [`POST ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
  const post = async (path: string, body: Buffer | string, headers: Record<string, string> = {}, agent: Agent | false = false) => {
    const request = httpRequest(`${url}${path}`, { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } });
    const answering = once(request, 'response') as Promise<[IncomingMessage]>;
    request.end(body);
    const [answer] = await answering;
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(await text(answer)) as Record<string, unknown> };
  };
  const file = (bytes: number) => JSON.stringify({ file: 'x'.repeat(bytes) });

  it('refuses an unauthenticated upload before reading its body, and the client receives the response', async () => {
    let received = 0;
    http.server.once('request', (request: IncomingMessage) => request.on('data', (chunk: Buffer) => (received += chunk.length)));
    const socket = await dial();
    const said = saidTo(socket);
    socket.write(head('/uploads', [`content-length: ${80 * MB}`]));

    await until(() => said().includes('auth.token_invalid'));
    expect(said()).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is);
    expect(inUse()).toBe(0);
    const piece = Buffer.alloc(MB);
    const sending = setInterval(() => socket.writable && socket.writableLength === 0 && socket.write(piece), 1);
    await eventually(async () => (await connections()) === 0 || undefined).finally(() => clearInterval(sending));
    expect(received).toBeLessThan(2 * MB); // the rest stays in the network
  });

  it('sends Strict-Transport-Security only when clients reach it over https', async () => {
    const headersOf = async (isSecure: boolean) => (await createHttpServer(silentLog, { isSecure }).inject('/')).headers;

    expect(await headersOf(true)).toMatchObject({ 'strict-transport-security': 'max-age=31536000' });
    expect(await headersOf(false)).not.toHaveProperty('strict-transport-security');
  });

  it('keeps the connection alive after refusing a short body', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await post('/uploads', file(2 * MB), {}, agent)).toMatchObject({ status: 401, headers: { connection: 'keep-alive' } });
    expect(await post('/uploads', file(10), { authorization: 'acme' }, agent)).toMatchObject({ status: 200 });
    agent.destroy();
  });

  it('sends no 100 Continue for a body that it will not read', async () => {
    const socket = await dial();
    const said = saidTo(socket);
    const expectation = ['expect: 100-continue', 'content-type: application/json', 'content-length: 12'];
    socket.write(head('/uploads', expectation));
    await until(() => said().startsWith('HTTP/1.1 401 '));

    const other = await dial();
    const otherMessages = saidTo(other);
    other.write(head('/uploads', ['authorization: acme', ...expectation]));
    await until(() => otherMessages().startsWith('HTTP/1.1 100 '));
    other.write('{"file":"x"}');
    await until(() => otherMessages().includes('\r\n\r\n{'));
    expect(otherMessages()).toContain('{"length":1}');
  });

  it('limits the body of an unauthenticated request to 64 KiB', async () => {
    expect((await post('/sign-up', JSON.stringify({ name: 'x'.repeat(60_000) }))).status).toBe(200);
    expect(await post('/sign-up', JSON.stringify({ name: 'x'.repeat(70_000) }))).toMatchObject({
      status: 413,
      body: { error: 'body: must have at most 65536 bytes here' },
    });
    expect((await post('/sign-up', JSON.stringify({ name: 'x'.repeat(70_000) }), { 'transfer-encoding': 'chunked' })).status).toBe(413);
  });

  it('limits the bytes of all bodies in memory, and the share of each company', async () => {
    let done = () => {};
    working = new Promise((resolve) => (done = resolve));
    const first = post('/uploads', file(3 * MB), { authorization: 'acme' });
    await until(() => inUse() > 3 * MB);

    const second = await post('/uploads', file(3 * MB), { authorization: 'acme' });
    const chunked = await post('/uploads', file(3 * MB), { authorization: 'acme', 'transfer-encoding': 'chunked' });
    const other = post('/uploads', file(2 * MB), { authorization: 'globex' });
    await until(() => inUse() > 5 * MB);
    done();

    expect(second).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { error_key: 'service.overloaded' } });
    expect(chunked).toMatchObject({ status: 503, body: { error_key: 'service.overloaded' } });
    expect([(await first).status, (await other).status]).toEqual([200, 200]);
    expect((await post('/uploads', file(3 * MB), { authorization: 'acme' })).status).toBe(200);
  });

  it('uses little more memory than the body has bytes, even when each byte is a chunk', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const body = JSON.stringify({ name: 'x'.repeat(60_000) });
    const socket = await dial();
    const said = saidTo(socket);
    const before = heap();
    socket.write(head('/sign-up', ['content-type: application/json', 'transfer-encoding: chunked']));
    socket.write([...body].map((letter) => `1\r\n${letter}\r\n`).join(''));
    await until(() => inUse() === body.length);

    expect(heap() - before).toBeLessThan(4 * MB);

    socket.write('0\r\n\r\n');
    await until(() => said().endsWith(body));
    expect(said()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('frees the memory of a body when its client disconnects', async () => {
    const socket = await dial();
    socket.write(head('/uploads', ['authorization: acme', 'content-type: application/json', `content-length: ${2 * MB}`]));
    socket.write(Buffer.alloc(MB));
    await until(() => inUse() > 0);
    expect(inUse()).toBe(2 * MB);

    socket.destroy();

    await until(() => inUse() === 0);
  });

  /** Sends bytes, waits until `count` requests have begun, and leaves. Resolves when the server knows that the caller is gone. */
  const sendsAndLeaves = async (bytes: string, count = 1) => {
    const socket = await dial();
    let begun = 0;
    const begin = () => void begun++;
    http.server.on('request', begin);
    socket.write(bytes);
    await until(() => begun === count).finally(() => http.server.off('request', begin));
    socket.destroy();
    await eventually(async () => (await connections()) === 0 || undefined);
  };

  it('keeps no memory for a client that disconnected before it was admitted', async () => {
    let admit = () => {};
    admitting = new Promise((resolve) => (admit = resolve));
    await sendsAndLeaves(head('/uploads', ['authorization: acme', 'content-type: application/json', `content-length: ${2 * MB}`]));

    admit();
    await admitting.finally(() => (admitting = undefined));

    await until(() => inUse() === 0);
    expect((await post('/uploads', file(3 * MB), { authorization: 'acme' })).status).toBe(200);
  });

  it('keeps no memory of a long response whose client disconnected before it', async () => {
    let done = () => {};
    working = new Promise((resolve) => (done = resolve));
    await sendsAndLeaves('GET /downloads HTTP/1.1\r\nhost: localhost\r\nauthorization: acme\r\n\r\n');

    done();
    await working;

    await until(() => inUse() === 0);
    expect((await post('/uploads', file(3 * MB), { authorization: 'acme' })).status).toBe(200);
  });

  it('frees the bodies of a disconnected client, also those of pipelined requests', async () => {
    let done = () => {};
    working = new Promise((resolve) => (done = resolve));
    const body = file(1000);
    const headers = ['authorization: acme', 'content-type: application/json', `content-length: ${body.length}`];

    await sendsAndLeaves(`${head('/uploads', headers)}${body}`.repeat(3), 3);

    await until(() => inUse() === 0).finally(done);
    expect((await post('/uploads', file(3 * MB), { authorization: 'acme' })).status).toBe(200);
  });

  it('reserves memory for uploads of unknown length, and limits the share of each company', async () => {
    const begins = async (company: string) => {
      const socket = await dial();
      const headers = [`authorization: ${company}`, 'content-type: application/json', 'transfer-encoding: chunked'];
      const said = saidTo(socket);
      socket.write(`${head('/streamed', headers)}b\r\n{"file":"AA\r\n`);
      return said;
    };
    const first = [];
    for (let nth = 1; nth <= 4; nth++) {
      first.push(await begins('acme'));
      await until(() => inUse() === nth * MB);
    }

    const fifth = await begins('acme');
    await until(() => fifth() !== '');
    const other = await begins('globex');
    await until(() => inUse() === 5 * MB);

    expect(fifth()).toMatch(/^HTTP\/1\.1 503 .*service\.overloaded/s);
    expect([...first, other].map((said) => said())).toEqual(['', '', '', '', '']);
  });

  it('ends a slow upload with 408 when its time elapses, and frees its memory', async () => {
    const hasty = createHttpServer(silentLog, {
      memory,
      timeouts: { headersMs: 100, requestMs: 200, idleMs: 60_000 },
      connections: { most: 30, perAddress: 10 },
    });
    openRoutes(app, hasty, new Refusals(silentLog));
    const { port } = new URL(await hasty.listen({ host: '127.0.0.1', port: 0 }));
    const before = sinks.abandoned;
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    opened.push(socket);
    const said = saidTo(socket);
    socket.write(head('/streamed', ['authorization: acme', 'content-type: application/json', `content-length: ${20 * MB}`]));
    socket.write(`{"file":"${'A'.repeat(100_000)}`);
    const dripping = setInterval(() => socket.writable && socket.write('AAAA'), 20);

    await until(() => sinks.abandoned > before).finally(() => clearInterval(dripping));

    await until(() => inUse() === 0);
    expect(said()).toMatch(/^HTTP\/1\.1 408 .*request\.timeout/s);
    await hasty.close();
  });

  it('cuts off a client that does not read a streamed response, but no idle event stream', async () => {
    const hasty = createHttpServer(silentLog, {
      memory,
      timeouts: { headersMs: 1000, requestMs: 30_000, idleMs: 3_600_000 },
      connections: { most: 30, perAddress: 10, answers: { ms: 100, bytesPerMs: 1e6 } },
    });
    openRoutes(app, hasty, new Refusals(silentLog));
    const { port } = new URL(await hasty.listen({ host: '127.0.0.1', port: 0 }));
    const asks = (path: string) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => undefined);
      opened.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: acme\r\n\r\n`);
      return socket;
    };
    const said = saidTo(asks('/quiet'));
    await until(() => said().includes('retry: '));

    asks('/streamed-downloads').pause();

    await until(() => wasEnded);
    await quietSink!.send({ id: '1', event: 'late', data: {} });
    await until(() => said().includes('event: late'));
    expect([wasEnded, said()]).toEqual([true, expect.stringContaining('event: late')]);
    for (const socket of opened) socket.destroy();
    await hasty.close();
  });

  it('cuts off a client that does not read the rest of an ended event stream', async () => {
    const hasty = createHttpServer(silentLog, {
      memory,
      timeouts: { headersMs: 1000, requestMs: 30_000, idleMs: 3_600_000 },
      connections: { most: 30, perAddress: 10, answers: { ms: 100, bytesPerMs: 1 } },
    });
    openRoutes(app, hasty, new Refusals(silentLog));
    const { port } = new URL(await hasty.listen({ host: '127.0.0.1', port: 0 }));
    quietSink = undefined;
    let served: Socket | undefined;
    hasty.server.once('connection', (socket) => (served = socket));
    const reader = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => undefined);
    opened.push(reader);
    reader.pause().write('GET /quiet HTTP/1.1\r\nhost: localhost\r\nauthorization: acme\r\n\r\n');
    await until(() => quietSink !== undefined);
    // What the system buffers has to be full: what is sent after that stays in the process.
    while (served!.writableLength === 0) {
      await quietSink!.send({ id: '1', event: 'long', data: 'x'.repeat(4000) });
      await soon();
    }

    quietSink!.end();

    await until(() => served!.destroyed);
    expect([served!.destroyed, served!.writableFinished]).toEqual([true, false]);
    reader.destroy();
    await hasty.close();
  });

  it('refuses overdue bodies whenever it checks its connections', async () => {
    let refuse = (_error: Error) => {};
    const refused = new Promise<Error>((resolve) => (refuse = resolve));
    bodyDeadlines.add(refuse, performance.now());

    await expect(refused).resolves.toMatchObject({ key: 'request.timeout' });

    bodyDeadlines.delete(refuse);
  });

  it('ends every incomplete request with 408 soon after its timeout, even when clients keep sending', async () => {
    const sockets = await Promise.all(Array.from({ length: 25 }, (_, nth) => dial(nth < 15 ? '127.0.0.2' : '127.0.0.3')));
    for (const socket of sockets) socket.write('GET /hello HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    const answers = sockets.map((socket) => saidTo(socket));
    await eventually(async () => (await connections()) === 20 || undefined); // at most 10 of an address
    // Writes only to connections without an answer: one that was answered would be reset.
    const drip = (socket: Socket, nth: number) => answers[nth]!() === '' && socket.writable && socket.write('x');
    const dripping = setInterval(() => sockets.forEach(drip), 100);

    await eventually(async () => (await connections()) === 0 || undefined).finally(() => clearInterval(dripping));

    const ended = answers.map((said) => said()).filter((said) => said !== '');
    expect(ended.length).toBeGreaterThan(0);
    for (const said of ended) expect(said).toMatch(/^HTTP\/1\.1 408 .*request\.timeout/s);
    expect(sockets.some(({ writable }) => writable)).toBe(true); // callers have closed nothing themselves
  });

  it('limits the connections of an address, and closes the oldest idle one for a new one', async () => {
    const halves = await Promise.all(Array.from({ length: 10 }, () => dial('127.0.0.2')));
    for (const socket of halves) socket.write('GET /hello HTTP/1.1\r\n');
    const gone = closing(halves[0]!);

    const newcomer = await dial('127.0.0.2');
    const said = saidTo(newcomer);
    newcomer.write('GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n');

    await until(() => said() !== '');
    expect(said()).toMatch(/^HTTP\/1\.1 200 /);
    await gone;
    expect(halves.slice(1).filter(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual([]);
  });

  it('counts connections of a trusted proxy only towards the total limit, not by address', async () => {
    const proxied = await Promise.all(Array.from({ length: 30 }, () => dial('127.0.0.9')));
    await eventually(async () => (await connections()) === 30 || undefined);
    const gone = closing(proxied[0]!);

    const said = saidTo((await dial('127.0.0.3')).on('error', () => undefined));
    opened.at(-1)!.write('GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n');

    await until(() => said() !== '');
    expect(said()).toMatch(/^HTTP\/1\.1 200 /);
    await gone;
  });

  it('serves some pipelined requests, and closes a connection that pipelines hundreds', async () => {
    const some = await dial();
    const said = saidTo(some);
    some.write('GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(10));
    await until(() => said().split('HTTP/1.1 ').length === 11);
    expect(said().match(/HTTP\/1\.1 200 /g)).toHaveLength(10);

    const many = await dial();
    const closed = closing(many);
    let requests = 0;
    const errors: Error[] = [];
    const watch = (request: IncomingMessage) => {
      requests++;
      request.on('error', (error) => errors.push(error));
    };
    http.server.on('request', watch);
    many.write('GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(500));
    await closed;
    await eventually(async () => (await connections()) === 1 || undefined); // the first connection is still there
    http.server.off('request', watch);
    expect(requests).toBeGreaterThan(16);
    expect(errors).toEqual([]); // an error for each request, with its stack, would keep the process busy
  });
});

describe('the ops server for probes', () => {
  let ops: Awaited<ReturnType<typeof openOpsServer>>;
  beforeAll(async () => {
    const timeouts = { headersMs: 200, requestMs: 5000, idleMs: 60_000 };
    const readiness = () => Promise.reject(new Error('nobody asks for it'));
    ops = await openOpsServer({ host: '127.0.0.1', port: 0, readiness, log: silentLog, timeouts });
  });
  afterAll(() => ops?.close());

  const dial = () => {
    const socket = connect({ port: Number(new URL(ops.url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { socket, said: () => said };
  };

  it('ends an incomplete request with 408', async () => {
    const { socket, said } = dial();
    socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\nx-slow: ');

    await once(socket, 'end');

    expect(said()).toMatch(/^HTTP\/1\.1 408 .*request\.timeout/s);
    socket.destroy();
  });

  it.each([
    ['/anywhere', 404],
    ['/livez', 200],
  ])('responds at %s before it has read a long body, and closes the connection', async (path, status) => {
    const { socket, said } = dial();
    socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${80 * MB}\r\n\r\n`);

    await until(() => said().includes('\r\n\r\n'));

    expect(said()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'));
    socket.destroy();
  });
});
