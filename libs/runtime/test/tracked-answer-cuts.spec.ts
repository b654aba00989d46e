import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { silentLog } from '@codase/runtime/telemetry';
import { sendTracked, TrackedAnswer } from '../src/http/tracked-answer.ts';
import { createHttpServer } from '../src/http/http-server.ts';

/** More than the buffers of both sockets hold on loopback, so an answer that was cut early cannot have left as a whole. */
const BODY_BYTES = 32 * 1024 * 1024;
/** The most that a send buffer of Linux holds (tcp_wmem), and a receive buffer of a reader that has read up to there, with a margin. */
const KERNEL_BYTES = 24 * 1024 * 1024;
const BODY = Buffer.alloc(BODY_BYTES, 'x');
const REQUEST = 'GET /answer HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n';

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('a tracked answer whose connection is cut', () => {
  const http = createHttpServer(silentLog);
  const reports: boolean[] = [];
  let port: number;

  beforeAll(async () => {
    http.get('/answer', (_request, reply) =>
      sendTracked(reply, new TrackedAnswer(BODY, { left: (wasWritten) => reports.push(wasWritten), withinMs: 30_000 }), () =>
        reply.send(BODY),
      ),
    );
    await http.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.address() as AddressInfo).port;
  });
  afterAll(() => http.close());

  /** Reads `bytes` bytes, then cuts the connection in the given way. Returns what the handler learned. */
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

  test.each(POSITIONS)('is reported as not sent when the connection is reset after %d bytes @spec D1-4.3', async (bytes) => {
    expect(await readsAndCuts(bytes, (socket) => socket.resetAndDestroy())).toBe(false);
  });

  test.each(POSITIONS)('is reported as not sent when the client closes after %d bytes @spec D1-4.3', async (bytes) => {
    expect(await readsAndCuts(bytes, (socket) => socket.destroy())).toBe(false);
  });

  test('is reported as not sent each time in sixty immediate resets @spec D1-4.3', async () => {
    const outcomes: (boolean | undefined)[] = [];
    for (let nth = 0; nth < 60; nth++) outcomes.push(await readsAndCuts(1 + (nth % 5) * 2_000_000, (socket) => socket.resetAndDestroy()));
    expect(outcomes.filter((left) => left !== false)).toEqual([]);
  });

  test('is reported as sent when the client reads all of it', async () => {
    expect(await readsAndCuts(Infinity, () => undefined)).toBe(true);
  });

  // Without Python only the buffers that Node gets are tried, and the name of the test in its place says so.
  if (hasPython)
    describe("with every size of the client's receive buffer", () => {
      let reader: CuttingReader;
      beforeAll(() => {
        reader = new CuttingReader();
      });
      afterAll(() => reader.stop());

      const cutAfter = async (bytes: number, buffer: number, how: 'reset' | 'close') => {
        reports.length = 0;
        const read = await reader.reads({ port, request: REQUEST, bytes, buffer, how });
        for (let waited = 0; reports.length === 0 && waited < 20_000; waited += 1) await new Promise((resolve) => setTimeout(resolve, 1));
        return { read, left: reports[0] };
      };
      const seed = Number(process.env['CUT_SEED'] ?? Date.now() % 1_000_000);
      const random = seededBy(seed);

      // Every byte of the head and the first ones of the body, a few bytes around every boundary of writes, and any other place, all alike.
      const everyByteOfTheHead = Array.from({ length: 400 }, (_, nth) => nth);
      const boundaries = [4096, 16_384, 65_536, 131_072, 1_048_576, 4_194_304].flatMap((at) => [-1, 0, 1].map((by) => at + by));
      // The smallest buffer takes 2 KiB at a time, and the server has filled its own before that. So one megabyte is like all that follow.
      const anywhere = (buffer: number) => {
        const reach = buffer === 1 ? 1_048_576 : BODY_BYTES - KERNEL_BYTES;
        return Array.from({ length: 60 }, () => Math.floor(random() * reach));
      };

      test.each([
        ['is as small as the kernel allows', 1, everyByteOfTheHead],
        ['holds a packet or two', 4096, []],
        ['holds 64 KiB', 65_536, []],
        ['holds a megabyte', 1_048_576, []],
        ['grows as the kernel sees fit', 0, everyByteOfTheHead],
      ])(`is reported as not sent wherever it is cut, when the buffer %s (CUT_SEED=${seed}) @spec D1-4.3`, async (_, buffer, head) => {
        const wrong: unknown[] = [];
        for (const [nth, bytes] of [...head, ...boundaries, ...anywhere(buffer)].entries()) {
          const how = nth % 2 ? 'reset' : 'close';
          const { read, left } = await cutAfter(bytes, buffer, how);
          if (read !== bytes || left !== false) wrong.push({ bytes, how, read, left });
        }
        expect(wrong).toEqual([]);
      });

      test('is reported as sent when a client with the smallest receive buffer reads all of it', async () => {
        const { read, left } = await cutAfter(Number.MAX_SAFE_INTEGER, 1, 'close');
        expect([read > BODY_BYTES, left]).toEqual([true, true]);
      });
    });
  else
    test('is not tested with small receive buffers, because python3 is not installed', () => {
      expect(readFileSync(join(import.meta.dirname, '../../../CONTRIBUTING.md'), 'utf8')).toContain('readers with small buffers');
    });
});

interface Cut {
  port: number;
  request: string;
  bytes: number;
  /** The receive buffer that the kernel is asked for. With 0 the kernel chooses. */
  buffer: number;
  how: 'reset' | 'close';
}

/** A process that reads with receive buffers of any size, which Node cannot set. */
class CuttingReader {
  private readonly process = spawn('python3', [join(import.meta.dirname, 'cutting-reader.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  private readonly answers = createInterface(this.process.stdout)[Symbol.asyncIterator]();

  /** Returns how many bytes the process has read. */
  async reads(cut: Cut): Promise<number> {
    this.process.stdin.write(`${JSON.stringify(cut)}\n`);
    const { value } = await this.answers.next();
    return (JSON.parse(value as string) as { read: number }).read;
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.stdin.end();
    await ended;
  }
}

/** mulberry32: the same numbers for the same seed. */
function seededBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
