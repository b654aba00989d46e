import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { readBody } from './read-body.ts';

/** A body of which the caller says how long it is. */
function reading(declared: string | undefined, body: PassThrough): Promise<string> {
  const headers = declared === undefined ? {} : { 'content-length': declared };
  const request = { headers, routeOptions: { bodyLimit: 1000, config: {} } } as unknown as FastifyRequest;
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
});
