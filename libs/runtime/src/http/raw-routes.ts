import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from './address-key.ts';
import { reserveBody } from './body-memory.ts';
import { readBody } from './read-body.ts';
import type { Refusals } from './refusals.ts';
import { inCallersTrace } from './request-span.ts';
import { routePath } from './serves.ts';
import type { RawAnswer, RawRequest, RawRoute } from './serves-raw.ts';

/** A method that serves a raw route. */
export interface BoundRaw {
  route: RawRoute;
  handle(request: RawRequest): RawAnswer | Promise<RawAnswer>;
}

/** Opens a raw route: the handler gets the bytes, and its answer leaves as it is. */
export function openRawRoute(fastify: FastifyInstance, { route, handle }: BoundRaw, refusals: Refusals): void {
  void fastify.register(async (scope) => {
    leaveBodiesUnread(scope);
    scope.route({
      method: [...route.methods],
      url: routePath(route),
      config: { isRaw: true },
      ...(route.largest !== undefined && { bodyLimit: route.largest }),
      handler: async (request, reply) => answer(reply, await handle(rawRequest(route, request, reply))),
      errorHandler: async (error, request, reply) => {
        const refusal = refusals.refusalFor(error);
        route.onRefused?.(refusal);
        return refusals.send(request, reply, refusal);
      },
    });
  });
}

function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

function rawRequest({ body }: RawRoute, request: FastifyRequest, reply: FastifyReply): RawRequest {
  const { raw: response } = reply;
  const gone = new AbortController();
  response.once('close', () => response.writableFinished || gone.abort());
  if (body === 'stream' && request.headers.expect !== undefined) response.writeContinue();
  return {
    method: request.method,
    url: request.url,
    params: request.params as Record<string, string>,
    headers: request.headers,
    body: body === 'stream' ? request.raw : () => wholeBody(request, reply),
    gone: gone.signal,
    inCallersTrace: (work) => inCallersTrace(request, work),
  };
}

function wholeBody(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
  reserveBody(request.server.bodyMemory.callers, addressKey(request.ip), request, reply);
  return new Promise((resolve, reject) => readBody(request, request.raw, (error, bytes) => (error ? reject(error) : resolve(bytes!))));
}

/** Sends the answer. When a stream fails, Fastify cuts the connection: half an answer never looks like a whole one. */
function answer(reply: FastifyReply, { status, headers = {}, body }: RawAnswer): FastifyReply {
  if (body instanceof Readable) reply.removeHeader('content-type');
  return reply.status(status).headers(headers).send(body);
}
