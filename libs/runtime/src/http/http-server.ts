import { BODY_BYTES, Refusal } from '@codase/contracts';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createServer, maxHeaderSize, STATUS_CODES, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpServerConfig } from '../config/index.ts';
import type { Log } from '../telemetry/index.ts';
import { countAnswer, MEGABYTE, PROCESS_BODY_MEMORY, resizeBodyMemory, type BodyMemory } from './body-memory.ts';
import { CONNECTION_LIMITS, Connections, type ConnectionLimits } from './connections.ts';
import { allowOrigins } from './cross-origin.ts';
import { JSON_FORMAT, negotiate, type Format } from './formats.ts';
import { byOwnName } from './own-machine.ts';
import { readBody } from './read-body.ts';
import { notHttp, sendRefusal } from './refusals.ts';
import { endSpan, openSpan } from './request-span.ts';
import { isStreamed, streamBody } from './stream-body.ts';
import { trustedAddresses } from './trusted-addresses.ts';

/** How long a caller may take to send the headers and the whole request, and how long a connection may be silent; 0 means for ever. */
export interface HttpServerTimeouts {
  headersMs: number;
  requestMs: number;
  idleMs: number;
}
const TIMEOUTS: HttpServerTimeouts = { headersMs: 10_000, requestMs: 60_000, idleMs: 60_000 };

export interface HttpServerOptions {
  /** The proxies of ours before the server, whose forwarded addresses are trusted; none when absent. */
  trustProxy?: string | undefined;
  timeouts?: HttpServerTimeouts;
  connections?: Omit<ConnectionLimits, 'isProxy'>;
  /** The budgets in which the bytes of bodies are counted: those of the process, unless a test has its own. */
  memory?: BodyMemory;
  /** Whether callers reach the server by https, through a proxy: browsers then get a header that allows no other way. */
  isSecure?: boolean;
  /** Whether only this machine may call, by an address or as localhost: so it is in development. */
  isForThisMachine?: boolean;
  /** The origins whose pages may call from a browser. */
  browserOrigins?: readonly string[];
}

/** The settings of an HTTP server, from the configuration of its service. The body memory is set for the whole process. */
export function httpServerOptions(config: HttpServerConfig, timeouts: Omit<HttpServerTimeouts, 'headersMs'> = TIMEOUTS): HttpServerOptions {
  resizeBodyMemory(PROCESS_BODY_MEMORY, config.BODY_MEMORY_MB * MEGABYTE);
  return {
    timeouts: { ...timeouts, headersMs: config.HEADERS_SECONDS * 1000 },
    connections: { most: config.MAX_CONNECTIONS, perAddress: config.MAX_CONNECTIONS_PER_ADDRESS },
  };
}

const noSchemas = (): never => {
  throw new Error('a route has no schema for fastify: its contract has the shapes');
};

/** A Fastify server: bounded, negotiating JSON and XML, one span and one measurement per request. */
export function createHttpServer(
  log: Log,
  {
    trustProxy,
    timeouts = TIMEOUTS,
    connections = CONNECTION_LIMITS,
    memory = PROCESS_BODY_MEMORY,
    browserOrigins = [],
    isSecure = false,
    isForThisMachine = false,
  }: HttpServerOptions = {},
): FastifyInstance {
  const isProxy = trustedAddresses(trustProxy);
  let server: BoundedServer;
  const http = fastify({
    trustProxy: trustProxy === undefined ? false : isProxy,
    bodyLimit: BODY_BYTES,
    serverFactory: (serve) =>
      (server = boundedServer(isForThisMachine ? byOwnName(serve as RequestListener) : serve, {
        timeouts,
        limits: { ...connections, isProxy },
        log,
      })),
    forceCloseConnections: 'idle',
    // Requests that still come on an open connection are served while those in hand are finished.
    return503OnClosing: false,
    // A HEAD would run the handler of the GET, and a drain has an effect: so HEAD counts as a path that no route has.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    // Contracts validate and shape requests and answers: fastify's own validators are neither loaded nor made for each server.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, _request, reply) => void sendRefusal(reply, notHttp(error)),
    clientErrorHandler: answerBrokenRequest,
  });
  http.decorate('bodyMemory', memory);
  http.decorate('leave', (withinMs: number) => server.leave(withinMs));
  http.decorate('mostStreams', Math.floor(connections.most * OF_STREAMS));
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', (request, body: IncomingMessage, done) =>
    isStreamed(request) ? streamBody(request, body) : readBody(request, body, done),
  );
  http.decorateRequest('traced', null);
  http.decorateRequest('reserved', null);
  http.decorateRequest('admitted', null);
  http.decorateRequest('answerFormat', null);
  http.decorateRequest('streamed', undefined);
  http.decorateRequest('openSink', null);
  http.decorateRequest('sink', null);
  http.addHook('onRequest', openSpan);
  if (browserOrigins.length > 0) allowOrigins(http, browserOrigins);
  http.addHook('onRequest', chooseFormat);
  if (isSecure) http.addHook('onRequest', (_request, reply, done) => void (reply.header('strict-transport-security', HSTS), done()));
  http.addHook('onSend', countAnswer);
  http.addHook('onResponse', (request, reply, done) => void (endSpan(request, reply), done()));
  http.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof Refusal) && (error.statusCode ?? 500) >= 500) log.error('reply failed', { error });
  });
  return http;
}

/** The part of a server's connections that may be streams: they are never idle, so they never make way for new connections. */
const OF_STREAMS = 1 / 2;

/** How often Node checks connections: a request that takes too long is ended at most this much later. */
const CHECKING_MS = 1000;
/** How long a connection is kept: longer than proxies keep theirs, so that none sends a request on one that just closes. */
const KEEP_ALIVE_MS = 72_000;

/** A year. Subdomains are left out, because they may belong to others. */
const HSTS = 'max-age=31536000';

interface ServerBounds {
  timeouts: HttpServerTimeouts;
  limits: ConnectionLimits;
  log: Log;
}

interface BoundedServer extends Server {
  /** Lets callers go elsewhere, for at most this long: see `Connections.leave`. */
  leave(withinMs: number): Promise<void>;
}

/** A server with bounds on its connections, and on the time that each request may take to come. */
export function boundedServer(serve: RequestListener, { timeouts, limits, log }: ServerBounds): BoundedServer {
  const { headersMs: headersTimeout, requestMs: requestTimeout, idleMs } = timeouts;
  const options = { headersTimeout, requestTimeout, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: CHECKING_MS };
  const connections = new Connections(limits, log);
  const begin: RequestListener = (request, response) => void (connections.begin(request, response) && serve(request, response));
  // `Expect: 100-continue` is answered once the caller is admitted and the body will be read.
  const server = createServer(options, begin).on('checkContinue', begin);
  server.setTimeout(idleMs);
  server.on('connection', (socket: Socket) => connections.accept(socket));
  server.on('listening', () => connections.watch()).on('close', () => connections.stop());
  const close = server.close.bind(server);
  return Object.assign(server, {
    leave: (withinMs: number) => connections.leave(withinMs),
    close(done?: (error?: Error) => void) {
      connections.close();
      return close(done);
    },
  });
}

/** Answers bytes that are not HTTP, or come too slowly for a route, with the catalogued refusal, and closes the connection. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const refusal = brokenRequest(error);
  const body = JSON.stringify(refusal.toBody());
  const headers = ['content-type: application/json; charset=utf-8', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  socket.write([`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...headers, '', body].join('\r\n'));
  socket.destroySoon();
}

function brokenRequest(error: Error & { code?: string }): Refusal {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? new Refusal('request.timeout') : notHttp(error);
}

const headersTooLarge = () => new Refusal('request.too_large').because(`The headers must have at most ${maxHeaderSize} bytes`);

/** Sets how this reply is written, errors included, before anything can fail. */
function chooseFormat(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  const format = formatOfAnswer(request);
  if (!format) return void sendRefusal(reply, new Refusal('request.format_unacceptable'));
  request.answerFormat = format;
  reply.headers({ 'content-type': format.type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }).serializer(format.write);
  if (request.headers.authorization !== undefined && isTwice(request.raw.rawHeaders, 'authorization')) {
    return void sendRefusal(reply, new Refusal('request.invalid').because('Authorization: must be given once'));
  }
  done();
}

/** The format of the answer. Who asks for events, or for a file by its type, gets everything else as JSON. */
function formatOfAnswer({ routeOptions: { config }, headers: { accept } }: FastifyRequest): Format | undefined {
  if (config.isRaw) return JSON_FORMAT;
  const hasOwnType = config.answersFile || (config.isStream && accept?.includes('text/event-stream'));
  return negotiate(accept) ?? (hasOwnType ? JSON_FORMAT : undefined);
}

/** Whether a header is given twice. Node keeps the first and does not report the other, which a proxy before us may have read. @gap D1-5 */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let given = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) given++;
  return given > 1;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route's answers are not negotiated: they are what the handler returns, and refusals are JSON. */
    isRaw?: boolean;
    /** Whether the route answers with a stream of events. */
    isStream?: boolean;
    /** Whether the route answers with a file, whose type is known only once it is read: so a caller may accept any type. */
    answersFile?: boolean;
  }
  interface FastifyInstance {
    /** The most streams of events that the server holds open. */
    mostStreams: number;
    /** Lets callers go elsewhere before the server closes. */
    leave: BoundedServer['leave'];
  }
}
