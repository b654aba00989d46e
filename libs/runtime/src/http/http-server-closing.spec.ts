import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { poll } from '../resilience/poll.ts';
import { silentLog } from '../telemetry/index.ts';
import { createHttpServer } from './http-server.ts';

/** Half of the time that the server gives a silent connection, so a test notices a server that waits for one. */
const WAITS_MS = 30_000;

describe('an HTTP server that closes', () => {
  let http: ReturnType<typeof createHttpServer>;
  let caller: Socket;
  /** The caller's connection as the server has it. */
  let heard: Socket;
  let streaming: Promise<ServerResponse>;
  beforeEach(async () => {
    http = createHttpServer(silentLog, { timeouts: { headersMs: 2 * WAITS_MS, requestMs: 2 * WAITS_MS, idleMs: 2 * WAITS_MS } });
    http.get('/plain', { config: { isRaw: true } }, (_request, reply) => void reply.send('served'));
    streaming = new Promise((resolve) => {
      http.get('/stream', { config: { isRaw: true } }, (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
        resolve(reply.raw);
      });
    });
    const { port } = new URL(await http.listen({ host: '127.0.0.1', port: 0 }));
    const accepted = once(http.server, 'connection');
    caller = connect(Number(port), '127.0.0.1');
    [heard] = (await accepted) as [Socket];
  });
  afterEach(() => caller.destroy());

  /** Closes the server. Returns what the caller got from then on. */
  const closes = async (meanwhile: () => void = () => undefined) => {
    let got = '';
    caller.on('data', (chunk: Buffer) => (got += chunk.toString())).on('error', () => undefined);
    const gone = once(caller, 'close');
    const closed = http.close().then(() => 'closed');
    meanwhile();
    let late: NodeJS.Timeout | undefined;
    const waits = new Promise<string>((resolve) => (late = setTimeout(resolve, WAITS_MS, 'waits')));
    expect(await Promise.race([closed, waits])).toBe('closed');
    clearTimeout(late);
    await gone;
    return got;
  };

  it('does not wait for a connection without a request', async () => {
    expect(await closes()).toBe('');
  });

  /** Sends half a request, and waits until the server has read it. */
  const sends = async (half: string) => {
    caller.write(half);
    await poll(() => (heard.bytesRead === half.length ? true : undefined), { everyMs: 5, withinMs: WAITS_MS });
  };

  it('does not wait for the rest of incomplete request headers', async () => {
    await sends('GET /plain HTTP/1.1\r\nhost: do');

    expect(await closes()).toBe('');
  });

  it('does not wait for incomplete headers of a second request on a kept-alive connection', async () => {
    const answered = once(caller, 'data');
    caller.write('GET /plain HTTP/1.1\r\nhost: localhost\r\n\r\nGET /plain HTTP/1.1\r\nhost: do');
    expect(String((await answered)[0])).toContain('served');

    expect(await closes()).toBe('');
  });

  it('serves a request whose headers are complete a moment after the close', async () => {
    await sends('GET /plain HTTP/1.1\r\nhost: do');

    expect(await closes(() => caller.write('or\r\n\r\n'))).toContain('served');
  });

  it('finishes an open stream, and does not wait for further requests of its client', async () => {
    caller.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const response = await streaming;

    expect(await closes(() => setImmediate(() => response.end('data: last\n\n')))).toContain('data: last');
  });
});
