import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Refusals } from './refusals.ts';
import { routePath } from './route-path.ts';
import type { RawAnswer, RawRequest, RawRoute } from './serves-raw.ts';

/** A method that serves a raw route. */
export interface BoundRaw {
  route: RawRoute;
  handle(request: RawRequest): RawAnswer | Promise<RawAnswer>;
}

/** Opens a raw route: the handler gets the bytes, and its answer leaves as it is. */
export function openRawRoute(fastify: FastifyInstance, { route, handle }: BoundRaw, refusals: Refusals): void {
  void fastify.register(async (scope) => {
    if (route.body === 'stream') leaveBodiesUnread(scope);
    scope.route({
      method: [...route.methods],
      url: routePath(route),
      config: { isRaw: true },
      ...(route.largest !== undefined && { bodyLimit: route.largest }),
      handler: async (request, reply) => answer(reply, await handle(rawRequest(route, request, reply))),
      errorHandler: async (error, request, reply) => {
        const refusal = refusals.refusalFor(error);
        route.onRefused?.(refusal);
        if (!(await isDiscarded(request.raw))) reply.header('connection', 'close');
        return refusals.send(request, reply, refusal);
      },
    });
  });
}

/** How much of a refused body is still taken in, and for how long. */
const DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARDING_MS = 1000;

/**
 * Takes in, and forgets, what a refused caller still sends: a connection that is closed while bytes of it are unread is reset, and the
 * answer may be lost with it. Says whether all of it came; whoever sends more, or slowly, is cut off after the answer.
 */
async function isDiscarded(body: IncomingMessage): Promise<boolean> {
  if (body.complete || body.destroyed) return body.complete;
  let left = DISCARDED_BYTES;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DISCARDING_MS);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    body.once('end', end).once('close', end);
    body.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) end();
    });
  });
  return body.complete;
}

function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

function rawRequest({ body }: RawRoute, request: FastifyRequest, { raw: response }: FastifyReply): RawRequest {
  const gone = new AbortController();
  response.once('close', () => response.writableFinished || gone.abort());
  return {
    method: request.method,
    url: request.url,
    params: request.params as Record<string, string>,
    headers: request.headers,
    body: body === 'stream' ? request.raw : ((request.body as Buffer | undefined) ?? Buffer.alloc(0)),
    gone: gone.signal,
  };
}

/** Fastify cuts the connection when the stream fails after its headers have left: half an answer never looks like a whole one. */
function answer(reply: FastifyReply, { status, headers = {}, body }: RawAnswer): FastifyReply {
  if (body instanceof Readable) reply.removeHeader('content-type');
  return reply.status(status).headers(headers).send(body);
}
