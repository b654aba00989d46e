import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BODY_BYTES, CONTENT_SHA256_HEADER, Refusal, TIMEOUT_HEADER, type Endpoint } from '@cds/contracts';
import { count, describeError, inSpan, LOG, SpanKind, traceOf, type Log } from '@cds/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { RoutingService } from '../routing/routing.service.ts';
import { bounded, sendStream } from './send-stream.http.ts';
import { readStreamRequest } from './stream-request.ts';

const PASSED_ON = ['content-type', 'content-length', CONTENT_SHA256_HEADER.toLowerCase()];

/** The door for what the bus does not carry: files, which stream through unread, and accounts, whose answers hold secrets. */
@Injectable()
export class DoorService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server: Server | undefined;
  private readonly callers: ReadonlyMap<string, { name: string; may: readonly string[] }>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly routing: RoutingService,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.callers = new Map(Object.entries(settings.callers).map(([name, { token, may }]) => [digest(token), { name, may }]));
  }

  /** Where it is open. */
  get url(): string | undefined {
    const at = this.server?.address() as AddressInfo | null | undefined;
    return at ? `http://${at.address}:${at.port}` : undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.door) return;
    this.server = createServer({ headersTimeout: 10_000 }, (request, response) => void this.answer(request, response));
    this.server.listen(this.settings.door.port, this.settings.door.host);
    await once(this.server, 'listening');
    this.log.info('files and accounts are served', { 'cds.url': this.url });
  }

  /** Those in hand are finished; nobody new comes in. */
  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parent = traceOf({ get: (name) => request.headers[name] as string | undefined, set: () => {} });
    try {
      await inSpan(`${request.method} /v1/{client}/{operation}`, { kind: SpanKind.SERVER, parent }, () => this.pass(request, response));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, this.refusalFor(error));
    }
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const caller = this.callerOf(request);
    const { name, contract, path } = readStreamRequest(request.method ?? '', request.url ?? '/');
    if (!caller.may.includes(name))
      throw new Refusal('auth.client_endpoint_forbidden').because('You may not act as this client: an operator has to say so');
    if (contract.takes)
      throw new Refusal('auth.client_endpoint_forbidden').because(
        'What takes away what it answers goes over the bus alone, for those whom an operator lets',
      );
    const client = this.routing.clientFor(name, contract);
    const body = bodyOf(request, contract);
    const gone = goneSignal(response);
    const withinMs = Number(request.headers[TIMEOUT_HEADER]) || undefined;
    const answer = await this.routing.route(
      client,
      contract,
      { by: caller.name, withinMs },
      {
        send: ({ api_url, access_token }, { leftMs }) => {
          const headers = headersOf(request, access_token, contract);
          return sendStream({ contract, url: `${api_url}${path}`, headers, ...(body && { body: body.open() }), leftMs, gone });
        },
        isSpent: () => body?.isSpent ?? false,
      },
    );
    response.writeHead(answer.statusCode!, { ...passedOn(answer), 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    await pipeline(answer, response);
  }

  private callerOf({ headers }: IncomingMessage) {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const caller = token && this.callers.get(digest(token));
    if (!caller)
      throw new Refusal('auth.token_invalid').because('The gateway does not know this token: an operator names you in its CALLERS');
    return caller;
  }

  private refusalFor(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    count('unexpected', { 'error.type': describeError(error)['error.type'] });
    this.log.error('request failed', { error });
    return new Refusal('service.unavailable');
  }
}

const digest = (token: string) => createHash('sha256').update(token).digest('hex');

/** The body of a call, which can be sent once. */
function bodyOf(request: IncomingMessage, { body, largest = BODY_BYTES }: Endpoint) {
  if (!body) return undefined;
  if (Number(request.headers['content-length'] ?? 0) > largest) throw new Refusal('request.too_large');
  return {
    isSpent: false,
    open(): Readable {
      this.isSpent = true;
      return request.pipe(bounded(largest));
    },
  };
}

function headersOf({ headers }: IncomingMessage, access_token: string, { body }: Endpoint) {
  const { 'content-type': type = 'application/json', 'content-length': length } = headers;
  const described = body ? { 'content-type': type, ...(length && { 'content-length': length }) } : {};
  return { authorization: `Bearer ${access_token}`, accept: 'application/json', ...described }; // a refusal has to be one we can read
}

const passedOn = ({ headers }: IncomingMessage) =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => response.writableFinished || gone.abort());
  return gone.signal;
}

/** What of the body was not read goes with the connection. */
function refuse(response: ServerResponse, refusal: Refusal): void {
  const retry = refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) };
  response
    .writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close', ...retry })
    .end(JSON.stringify(refusal.toBody()));
}
