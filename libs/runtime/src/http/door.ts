import { context, type Span } from '@opentelemetry/api';
import { BODY_BYTES, Refusal } from '@cds/contracts';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { count, SpanKind, startSpan, timed, traceOf, type Attributes, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { allowOrigin } from './cross-origin.ts';
import { JSON_FORMAT, negotiate } from './formats.ts';
import { notHttp, sendRefusal } from './refusals.ts';

/** How long a caller may take for the headers, and for the whole request; and how long a connection may be silent, 0 for ever. */
export interface DoorTimeouts {
  headersMs: number;
  requestMs: number;
  idleMs: number;
}
const TIMEOUTS: DoorTimeouts = { headersMs: 10_000, requestMs: 60_000, idleMs: 60_000 };

export interface DoorOptions {
  /** What of a request's address to believe: nothing, unless a proxy of ours stands before the door. */
  trustProxy?: string | undefined;
  timeouts?: DoorTimeouts;
  /** The origin whose pages may call from a browser; none when absent. */
  browserOrigin?: string;
}

/** A Fastify door: bounded, negotiating JSON and XML, one span and one measurement per request. */
export function openDoor(log: Log, { trustProxy, timeouts = TIMEOUTS, browserOrigin }: DoorOptions = {}): FastifyInstance {
  const door = fastify({
    trustProxy: trustProxy ?? false,
    bodyLimit: BODY_BYTES,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    forceCloseConnections: 'idle',
    // A HEAD would run the handler of the GET, and a drain has an effect: it is a path that no route has.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, _request, reply) => void sendRefusal(reply, notHttp(error)),
    clientErrorHandler: answerBrokenRequest,
  });
  door.server.headersTimeout = timeouts.headersMs;
  door.removeAllContentTypeParsers();
  door.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  door.decorateRequest('traced', null);
  door.decorateRequest('answerFormat', null);
  door.addHook('onRequest', traceRequest);
  if (browserOrigin !== undefined) allowOrigin(door, browserOrigin);
  door.addHook('onRequest', chooseFormat);
  door.addHook('onResponse', endTrace);
  door.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof Refusal) && (error.statusCode ?? 500) >= 500) log.error('reply failed', { error });
  });
  return door;
}

/** Bytes that are not HTTP never reach a route; they still get the catalogued refusal. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const body = JSON.stringify((error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge() : notHttp(error)).toBody());
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '413 Content Too Large' : '400 Bad Request';
  const headers = ['content-type: application/json; charset=utf-8', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  socket.end([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'));
}

const headersTooLarge = () => new Refusal('request.too_large').because(`The headers must have at most ${maxHeaderSize} bytes`);

/** Sets how this reply is written, errors included, before anything can fail. */
function chooseFormat(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  const format = request.routeOptions.config.isRaw ? JSON_FORMAT : negotiate(request.headers.accept);
  if (!format) return void sendRefusal(reply, new Refusal('request.format_unacceptable'));
  request.answerFormat = format;
  reply.headers({ 'content-type': format.type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).serializer(format.write);
  if (isTwice(request.raw.rawHeaders, 'authorization')) {
    return void sendRefusal(reply, new Refusal('request.invalid').because('Authorization: must be given once'));
  }
  done();
}

/** Node keeps the first of two and says nothing; whoever stands before us may have read the other. @gap D1-5 */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let given = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) given++;
  return given > 1;
}

interface Traced {
  span: Span;
  route: string;
  startedAt: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answers are not negotiated: they are what the handler says, and refusals are JSON. */
    isRaw?: boolean;
  }
  interface FastifyRequest {
    /** The span it is answered in; null before there is one. */
    traced: Traced | null;
  }
}

/** Opens the server span under the trace the caller sent, named by the route's template. */
function traceRequest(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const route = routeOf(request);
  const carrier = { get: (name: string) => request.headers[name] as string | undefined, set: () => {} };
  const { span, within } = startSpan(`${request.method} ${route}`, {
    kind: SpanKind.SERVER,
    parent: traceOf(carrier),
    attributes: { 'http.request.method': request.method, 'http.route': route },
  });
  request.traced = { span, route, startedAt: performance.now() };
  context.with(within, done);
}

/** The template as contracts write it, which is how those who call name it too. */
const routeOf = ({ routeOptions: { url = 'unmatched' } }: FastifyRequest): string => url.replace(/:(\w+)/g, '{$1}');

async function endTrace(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const open = request.traced;
  if (!open) return;
  const attributes: Attributes = {
    'http.request.method': request.method,
    'http.route': open.route,
    'http.response.status_code': reply.statusCode,
  };
  open.span.setAttributes({ ...attributes });
  if (reply.statusCode >= 500) count(RUNTIME_METRICS.unexpected, { 'http.route': open.route });
  open.span.end();
  timed(RUNTIME_METRICS.httpServer, open.startedAt, attributes);
}
