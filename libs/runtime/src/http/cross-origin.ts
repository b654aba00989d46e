import { CONTENT_SHA256_HEADER } from '@codase/contracts';
import type { FastifyInstance } from 'fastify';

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, accept, dpop, codase-act',
  'access-control-max-age': '600',
} as const;

/**
 * Lets the pages of some origins call from a browser, each by its exact name. A page needs a token or a pass for that, which it gets only
 * from the person who uses it: there are no cookies here that a browser would add by itself, and credentials are not allowed. A preflight
 * is answered without looking at the route.
 */
export function allowOrigins(http: FastifyInstance, origins: readonly string[]): void {
  const allowed = {
    'access-control-expose-headers': `Retry-After, WWW-Authenticate, ${CONTENT_SHA256_HEADER}`,
    vary: 'Origin',
  };
  http.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return void done();
    reply.headers({ ...allowed, 'access-control-allow-origin': origin });
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (isPreflight) return void reply.status(204).headers(PREFLIGHT).send();
    done();
  });
}
