import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { silentLog } from '../telemetry/index.ts';
import { openDoor } from './door.ts';

/** Half of what a door gives a connection that is silent: a door that waits for one is seen to. */
const WAITS_MS = 30_000;

describe('a door that closes', () => {
  let door: ReturnType<typeof openDoor>;
  let caller: Socket;
  let streaming: Promise<ServerResponse>;
  beforeEach(async () => {
    door = openDoor(silentLog, {});
    streaming = new Promise((resolve) => {
      door.get('/stream', { config: { isRaw: true } }, (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
        resolve(reply.raw);
      });
    });
    const { port } = new URL(await door.listen({ host: '127.0.0.1', port: 0 }));
    const accepted = once(door.server, 'connection');
    caller = connect(Number(port), '127.0.0.1');
    await accepted;
  });
  afterEach(() => caller.destroy());

  /** Closes it, and says what the caller got from now on. */
  const closes = async (meanwhile: () => void = () => undefined) => {
    let got = '';
    caller.on('data', (chunk: Buffer) => (got += chunk.toString())).on('error', () => undefined);
    const gone = once(caller, 'close');
    const closed = door.close().then(() => 'closed');
    meanwhile();
    let late: NodeJS.Timeout | undefined;
    const waits = new Promise<string>((resolve) => (late = setTimeout(resolve, WAITS_MS, 'waits')));
    expect(await Promise.race([closed, waits])).toBe('closed');
    clearTimeout(late);
    await gone;
    return got;
  };

  it('waits for nobody who has asked nothing', async () => {
    expect(await closes()).toBe('');
  });

  it('lets a stream end, and does not wait for what its caller asks next', async () => {
    caller.write('GET /stream HTTP/1.1\r\nhost: door\r\n\r\n');
    const response = await streaming;

    expect(await closes(() => setImmediate(() => response.end('data: last\n\n')))).toContain('data: last');
  });
});
