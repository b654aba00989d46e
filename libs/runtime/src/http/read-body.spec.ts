import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { setImmediate as soon } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyRequest } from 'fastify';
import { bodyDeadlines } from './body-deadlines.ts';
import { readBody } from './read-body.ts';

/** Reads a body whose length the caller may declare, and returns what `used` makes of its bytes. */
function reading<T = string>(
  declared: string | undefined,
  body: PassThrough,
  { bodyLimit = 1000, used = (bytes: Buffer) => bytes.toString('latin1') as T } = {},
): Promise<T> {
  const headers = declared === undefined ? {} : { 'content-length': declared };
  const request = { headers, routeOptions: { bodyLimit, config: { bodyMs: 10_000 } } } as unknown as FastifyRequest;
  return new Promise((resolve, reject) => {
    readBody(request, body as unknown as IncomingMessage, (error, bytes) => (error ? reject(error) : resolve(used(bytes!))));
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('reading a request body', () => {
  it.each([
    ['as long as it says', '5'],
    ['without a length', undefined],
  ])('returns all bytes of a body %s', async (_, declared) => {
    const body = new PassThrough();
    const read = reading(declared, body);
    body.write('he');
    body.end('llo');

    await expect(read).resolves.toBe('hello');
  });

  it('returns only the received bytes when the body is shorter than its Content-Length', async () => {
    const body = new PassThrough();
    const read = reading('900', body);
    body.end('short');

    await expect(read).resolves.toBe('short');
  });

  it('fails with request.timeout when the body does not arrive in time', async () => {
    const read = reading('5', new PassThrough());

    bodyDeadlines.check(performance.now() + 10_000);

    await expect(read).rejects.toMatchObject({ key: 'request.timeout' });
  });

  it('waits for the body until the deadline', async () => {
    const body = new PassThrough();
    const read = reading('5', body);
    bodyDeadlines.check(performance.now() + 9000);
    body.end('hello');

    await expect(read).resolves.toBe('hello');
  });

  it('fails with 400 when the connection breaks', async () => {
    const body = new PassThrough();
    const read = reading('5', body);
    body.write('he');
    body.destroy();

    await expect(read).rejects.toMatchObject({ statusCode: 400 });
  });

  it('fails once with request.too_large as soon as the body exceeds the limit', async () => {
    const body = new PassThrough();
    const read = reading(undefined, body);
    body.write('x'.repeat(600));
    body.end('x'.repeat(600));

    await expect(read).rejects.toMatchObject({ key: 'request.too_large' });
  });

  it('uses about as much memory as the body has bytes, even in one-byte chunks', async () => {
    const inUse = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const body = new PassThrough();
    const read = reading(undefined, body, { bodyLimit: 100_000 });
    await soon();
    const before = inUse();
    for (let nth = 0; nth < 100_000; nth++) body.emit('data', Buffer.from('x'));

    expect(inUse() - before).toBeLessThan(2_000_000);

    body.end();
    expect(await read).toBe('x'.repeat(100_000));
  });

  it.each([
    ['as long as it says', '50000'],
    ['without a length', undefined],
  ])('keeps no reference to the bytes after handing them on, for a body %s', async (_, declared) => {
    const body = new PassThrough();
    const read = reading(declared, body, { bodyLimit: 50_000, used: (bytes) => new WeakRef(bytes.buffer) });
    for (let nth = 0; nth < 50; nth++) body.write('x'.repeat(1000));
    body.end();
    const kept = await read;
    await soon();
    collectGarbage();

    expect(kept.deref()).toBeUndefined();
    expect(body.listenerCount('data')).toBe(1);
  });
});
