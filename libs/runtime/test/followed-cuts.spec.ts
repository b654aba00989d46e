import { connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@cds/runtime/telemetry';
import { follow, Followed } from '../src/http/followed.ts';
import { openDoor } from '../src/http/door.ts';

/** More than the buffers of both sockets hold on loopback: what was cut early cannot have left whole. */
const BODY_BYTES = 16 * 1024 * 1024;
const BODY = Buffer.alloc(BODY_BYTES, 'x');
const REQUEST = 'GET /answer HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n';

describe('an answer that is followed and cut', () => {
  const door = openDoor(silentLog);
  const reports: boolean[] = [];
  let port: number;

  beforeAll(async () => {
    door.get('/answer', (_request, reply) =>
      follow(reply, new Followed(BODY, { left: (wasWritten) => reports.push(wasWritten), withinMs: 30_000 }), () => reply.send(BODY)),
    );
    await door.listen({ host: '127.0.0.1', port: 0 });
    port = (door.server.address() as AddressInfo).port;
  });
  afterAll(() => door.close());

  /** Reads so many bytes, then cuts the connection in the given way. Answers what the handler was told. */
  async function readsAndCuts(bytes: number, cut: (socket: Socket) => unknown): Promise<boolean | undefined> {
    reports.length = 0;
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    let read = 0;
    if (bytes === 0) socket.once('connect', () => setImmediate(() => cut(socket)));
    socket.on('data', (chunk) => {
      read += chunk.length;
      if (read < bytes) return;
      socket.pause();
      cut(socket);
    });
    await closed;
    for (let waited = 0; reports.length === 0 && waited < 20_000; waited += 5) await new Promise((resolve) => setTimeout(resolve, 5));
    return reports[0];
  }

  const POSITIONS = [1, 2, 64, 300, 301, 4096, 65_535, 65_536, 65_537, 1_000_000, 4_194_304, 4_194_305, 8_000_000];

  test.each(POSITIONS)('has not left when the connection is reset after %d bytes @spec D1-4.3', async (bytes) => {
    expect(await readsAndCuts(bytes, (socket) => socket.resetAndDestroy())).toBe(false);
  });

  test.each(POSITIONS)('has not left when the reader closes after %d bytes @spec D1-4.3', async (bytes) => {
    expect(await readsAndCuts(bytes, (socket) => socket.destroy())).toBe(false);
  });

  test('has not left however often it is cut at once, whatever the socket looks like then @spec D1-4.3', async () => {
    const outcomes: (boolean | undefined)[] = [];
    for (let nth = 0; nth < 60; nth++) outcomes.push(await readsAndCuts(1 + (nth % 5) * 2_000_000, (socket) => socket.resetAndDestroy()));
    expect(outcomes.filter((left) => left !== false)).toEqual([]);
  });

  test('has left when all of it was read', async () => {
    expect(await readsAndCuts(Infinity, () => undefined)).toBe(true);
  });
});
