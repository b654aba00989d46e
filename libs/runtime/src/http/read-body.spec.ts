import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { bodyDeadlines } from './body-deadlines.ts';
import { readBody } from './read-body.ts';

/** Reads a body whose length the caller may declare. */
function reading(declared: string | undefined, body: PassThrough): Promise<string> {
  const headers = declared === undefined ? {} : { 'content-length': declared };
  const request = { headers, routeOptions: { bodyLimit: 1000, config: { bodyMs: 10_000 } } } as unknown as FastifyRequest;
  return new Promise((resolve, reject) => {
    readBody(request, body as unknown as IncomingMessage, (error, bytes) => (error ? reject(error) : resolve(bytes!.toString('latin1'))));
  });
}

describe('the body of a request', () => {
  it.each([
    ['as long as it says', '5'],
    ['without a length', undefined],
  ])('is gathered %s', async (_, declared) => {
    const body = new PassThrough();
    const read = reading(declared, body);
    body.write('he');
    body.end('llo');

    await expect(read).resolves.toBe('hello');
  });

  it('shows no memory of others where less came than was said', async () => {
    const body = new PassThrough();
    const read = reading('900', body);
    body.end('short');

    await expect(read).resolves.toBe('short');
  });

  it('is refused when it does not come in time', async () => {
    const read = reading('5', new PassThrough());

    bodyDeadlines.check(performance.now() + 10_000);

    await expect(read).rejects.toMatchObject({ key: 'request.timeout' });
  });

  it('is waited for until its time is over', async () => {
    const body = new PassThrough();
    const read = reading('5', body);
    bodyDeadlines.check(performance.now() + 9000);
    body.end('hello');

    await expect(read).resolves.toBe('hello');
  });

  it('is refused when its connection breaks off', async () => {
    const body = new PassThrough();
    const read = reading('5', body);
    body.write('he');
    body.destroy();

    await expect(read).rejects.toMatchObject({ statusCode: 400 });
  });

  it('is refused as soon as it is longer than it may be, once', async () => {
    const body = new PassThrough();
    const read = reading(undefined, body);
    body.write('x'.repeat(600));
    body.end('x'.repeat(600));

    await expect(read).rejects.toMatchObject({ key: 'request.too_large' });
  });
});
