import { freePort } from '@codase/servers';
import { connect as connectTo, type AddressInfo } from 'node:net';
import { request, type Server, type ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { BoardServer } from '../../src/board/board-server.ts';
import { EXAMPLE_ENTRY, UNIT_NAMES, type Ports } from '@codase/stack';
import { Balancer } from '@codase/stack/balancer';
import { TraceReceiver } from '@codase/stack/trace-receiver';
import { requiredVariable, World } from '@codase/testing';

const CHANNELS = { shop: { mode: 'webhook', webhook_id: 'wh_shop', auth: { auth_type: 'hmac', hmac_secret: 'whsec_1' } } };
const EVIL = 'https://evil.example';

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A port of the default stack that speaks HTTP, with a path that answers and one that takes a body. */
interface Listener {
  name: string;
  port: number;
  get: string;
  post: string;
  /** Whether pages of other origins are refused by the product's own rules: by tokens, and by the type of the body. */
  isProduct?: boolean;
  /** What `get` answers; 200 when absent. */
  status?: number;
}

/** The server of the example service, and the routes that it serves. A company copies the example, so it is no package to import from. */
async function exampleServer(): Promise<Server> {
  const from = (file: string): Promise<unknown> => import(String(new URL(file, pathToFileURL(EXAMPLE_ENTRY))));
  const { loginRoutes } = (await from('login-routes.js')) as { loginRoutes: (logins: object) => unknown };
  const { probeServer } = (await from('probe-server.js')) as { probeServer: (served: object) => Server };
  const routes = loginRoutes({ begin: () => Promise.reject(new Error('began')) });
  return probeServer({
    routes,
    metrics: (_: unknown, response: ServerResponse) => response.end(),
    health: () => ({ ready: true }),
    host: '127.0.0.1',
  });
}

const portOf = (url: string): number => Number(new URL(url).port);

/** Every port that `npm start` opens, by the members of its ports: who adds one has to say here what listens there. */
describe('the ports of development', () => {
  let world: World;
  let traces: TraceReceiver;
  let board: BoardServer;
  let balancer: Balancer;
  let balanced: number;
  let example: Server;
  let listeners: Record<keyof Ports, Listener[]>;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    world = await World.open({ channels: CHANNELS });
    closing.push(() => world.close());
    traces = await TraceReceiver.open();
    closing.push(() => traces.close());
    board = await BoardServer.open(0, [], traces);
    closing.push(() => board.close());
    balanced = await freePort();
    balancer = await Balancer.open(balanced, [{ port: portOf(world.frontDoorUrl), opsPort: portOf(world.opsUrl('front-door')) }]);
    closing.push(() => balancer.close());
    example = await exampleServer();
    closing.push(() => new Promise((resolve) => void example.close(resolve)));
    await new Promise<void>((resolve) => void example.listen(0, '127.0.0.1', resolve));
    const product = { get: '/nothing', post: '/nothing', isProduct: true, status: 404 };
    listeners = {
      serving: [
        { name: 'front door', port: portOf(world.frontDoorUrl), ...product, get: '/docs', post: '/oauth2/token', status: 200 },
        { name: 'front door behind a balancer', port: balanced, ...product, get: '/docs', post: '/oauth2/token', status: 200 },
        { name: 'region eu', port: portOf(world.regionUrl('eu')), ...product, get: '/docs', post: '/oauth2/token', status: 421 },
        { name: 'region us', port: portOf(world.regionUrl('us')), ...product, get: '/docs', post: '/oauth2/token', status: 421 },
        { name: 'forwarder', port: portOf(world.forwarderUrl), ...product },
        { name: 'gateway', port: portOf(world.gatewayHttp.url), ...product, status: 401 },
        { name: 'feed consumer', port: portOf(world.hookUrl('shop')), ...product, post: '/hooks/shop' },
      ],
      ops: UNIT_NAMES.map((unit) => ({ name: `${unit} (probes)`, port: portOf(world.opsUrl(unit)), get: '/livez', post: '/livez' })),
      traces: [{ name: 'traces', port: portOf(traces.url), get: `/traces/${'a'.repeat(32)}`, post: '/v1/traces' }],
      board: [{ name: 'board', port: portOf(board.url), get: '/', post: '/' }],
      example: [{ name: 'example', port: (example.address() as AddressInfo).port, get: '/livez', post: '/login' }],
      postgres: [], // speaks its own protocol, with a password: see the last test
      nats: [],
    };
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const all = () => Object.values(listeners).flat();
  const usual = () => Object.fromEntries(all().map(({ name, status = 200 }) => [name, status]));
  const answersOf = async (of: readonly Listener[], sent: (listener: Listener) => Sent) =>
    Object.fromEntries(await Promise.all(of.map(async (one) => [one.name, await statusOf(one.port, sent(one))] as const)));
  const each = (of: readonly Listener[], status: unknown) => Object.fromEntries(of.map(({ name }) => [name, status]));

  it('answer a program of this machine', async () => {
    expect(await answersOf(all(), ({ get }) => ({ path: get }))).toEqual(usual());
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.1@evil.example', '[::1'])(
    'refuse the name %j, which another site may let lead here',
    async (host) => {
      for (const method of ['GET', 'POST']) {
        const answers = await answersOf(all(), ({ get, port }) => ({ method, path: get, headers: { host: `${host}:${port}` } }));

        for (const [name, status] of Object.entries(answers)) expect([name, [400, 403, 421].includes(status)]).toEqual([name, true]);
      }
    },
  );

  it.each([
    ['null', 'text/plain'],
    ['{"resourceSpans":[null]}', 'application/x-www-form-urlencoded'],
    ['x', 'multipart/form-data; boundary=x'],
    ['{}', ''],
  ])('refuse %s as %j from a page', async (body, type) => {
    const headers = { origin: EVIL, ...(type && { 'content-type': type }) };
    const answers = await answersOf(all(), ({ post }) => ({ method: 'POST', path: post, headers, body }));

    for (const { name, isProduct } of all()) {
      const isRefused = isProduct ? answers[name]! >= 400 && answers[name]! < 500 : [403, 415].includes(answers[name]!);
      expect([name, isRefused]).toEqual([name, true]);
    }
  });

  it('refuse a page of another origin that reads or posts JSON', async () => {
    const own = all().filter(({ isProduct }) => !isProduct);
    for (const origin of [EVIL, 'null', 'http://127.0.0.1:1', 'http://localhost']) {
      const headers = { origin, 'content-type': 'application/json' };

      expect(await answersOf(own, ({ get }) => ({ path: get, headers }))).toEqual(each(own, 403));
      expect(await answersOf(own, ({ post }) => ({ method: 'POST', path: post, headers, body: 'null' }))).toEqual(each(own, 403));
    }
  });

  it.each(['null', '[]', '7', '"x"', '{"resourceSpans":[null]}', '{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}', '{', '\0'])(
    'live on after %s',
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      const answers = await answersOf(all(), ({ post }) => ({ method: 'POST', path: post, headers, body }));

      for (const [name, status] of Object.entries(answers)) expect([name, status < 500]).toEqual([name, true]);
      expect(await answersOf(all(), ({ get }) => ({ path: get }))).toEqual(usual());
      expect(traces.all).toEqual([]);
    },
  );

  it('bound a body of traces', async () => {
    const body = JSON.stringify({ resourceSpans: [], filling: 'x'.repeat(16 * 1024 * 1024) });

    expect(
      await statusOf(portOf(traces.url), { method: 'POST', path: '/v1/traces', headers: { 'content-type': 'application/json' }, body }),
    ).toBe(400);
  });

  it.each(['CODASE_TEST_POSTGRES_URL', 'NATS'])('answer no HTTP where another protocol is spoken: %s', async (server) => {
    const { hostname, port } = new URL(server === 'NATS' ? world.internalAddress.url : requiredVariable(server));

    const answer = await rawAnswer(
      Number(port),
      hostname,
      `POST / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${EVIL}\r\nContent-Length: 4\r\n\r\nnull`,
    );

    expect(answer).not.toMatch(/HTTP\//);
  });
});

const statusOf = (port: number, { method = 'GET', path, headers = {}, body }: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const pending = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    pending.on('error', reject).end(body);
  });

/** Returns what a server writes until it closes the connection, or is silent for a moment. */
const rawAnswer = (port: number, host: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let read = '';
    const socket = connectTo(port, host, () => void socket.write(bytes));
    const done = () => resolve(read);
    socket
      .on('data', (chunk) => (read += chunk.toString('latin1')))
      .on('close', done)
      .on('error', done);
    socket.setTimeout(2000, () => socket.destroy());
  });
