import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SeenSpan } from '@codase/stack/trace-receiver';
import { BoardServer } from './board-server.ts';

const TRACE = 'a'.repeat(32);
const SPAN: SeenSpan = {
  trace_id: TRACE,
  span_id: '1',
  parent_id: undefined,
  service: 'region-eu',
  name: '<script>alert(1)</script>',
  kind: 'consumer',
  start_ms: 0,
  end_ms: 12,
  attributes: {},
  failed: true,
};

describe('the board', () => {
  let ops: Server;
  let board: BoardServer;
  beforeAll(async () => {
    ops = createServer(({ url }, response) =>
      url === '/readyz'
        ? response.writeHead(503).end(JSON.stringify({ checks: { nats: 'ok', database: 'the password is wrong' } }))
        : response.end('codase_feed_received_total 4\n'),
    );
    await new Promise<void>((resolve) => void ops.listen(0, '127.0.0.1', resolve));
    const { port } = ops.address() as AddressInfo;
    board = await BoardServer.open(0, [{ name: 'region-eu', opsPort: port }], { all: [SPAN], trace: (id) => (id === TRACE ? [SPAN] : []) });
  });
  afterAll(async () => {
    await board?.close();
    ops?.close();
  });

  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; body: string; policy: string }>((resolve, reject) => {
      const pending = request(board.url + path, { headers, method }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, body, policy: String(response.headers['content-security-policy']) }),
        );
      });
      pending.on('error', reject).end();
    });

  it('shows which service is not ready and why, and lists the newest event', async () => {
    const { status, body, policy } = await get('/');
    expect(status).toBe(200);
    expect(body).toContain('region-eu: database: the password is wrong');
    expect(body).toContain(`href="/events/${TRACE}"`);
    expect(policy).toContain("default-src 'none'");
  });

  it('draws the trace of an event, and escapes its text', async () => {
    const { status, body } = await get(`/events/${TRACE}`);
    expect(status).toBe(200);
    expect(body).toContain('12.0 ms');
    expect(body).toContain('&lt;script&gt;');
    expect(body).not.toContain('<script');
  });

  it.each([
    ['an unknown page', '/x', {}, 'GET', 404],
    ['a trace that is not kept', `/events/${'b'.repeat(32)}`, {}, 'GET', 404],
    ['another site whose name leads here', '/', { host: 'evil.example' }, 'GET', 421],
    ['another method', '/', { 'content-type': 'application/json' }, 'POST', 405],
    ['a body that a page can send without asking', '/', { 'content-type': 'text/plain' }, 'POST', 415],
    ['a page of another origin', '/', { origin: 'https://evil.example' }, 'GET', 403],
  ])('refuses %s', async (_, path, headers, method, status) =>
    expect((await get(path, headers as Record<string, string>, method)).status).toBe(status),
  );
});
