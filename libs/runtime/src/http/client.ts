import { jsonIn, readFileAnswer, Refusal, type Endpoint, type Output, type Request } from '@codase/contracts';
import { request as send, type Dispatcher } from 'undici';
import { readEvents } from './read-events.ts';
import { refuseInTransaction } from '../open-transaction.ts';
import { carryTrace, inSpan, SpanKind, timed, RUNTIME_METRICS } from '../telemetry/index.ts';

export interface Exchange {
  contract: Endpoint;
  status: number;
  error_key?: string;
}

/** A request as it is sent. */
export interface SentRequest {
  contract: Endpoint;
  params: Readonly<Record<string, unknown>>;
  url: string;
  token: string | undefined;
  body: string | Uint8Array | undefined;
}

export interface ApiClientOptions {
  token?: string;
  /** Sent with every call. */
  headers?: Readonly<Record<string, string>>;
  /** Returns headers about one request, which prove who sends it: they have the last word. */
  proves?: (request: SentRequest) => Readonly<Record<string, string>>;
  timeoutMs?: number;
  dispatcher?: Dispatcher;
  /** Cancels the call, whatever it waits for. */
  signal?: AbortSignal;
  /** The longest result that is wanted. A longer one is not read: `refusal` is thrown as soon as its length is known. */
  most?: { bytes: number; refusal: () => Error } | undefined;
  /** Called after every exchange, with names only. */
  onExchange?: (exchange: Exchange) => void;
}

const RESPONSE_BYTES = 64 * 1024 * 1024;

/** An answer that no contract covers: from a broken server, one that is newer than this program, or a wrong server. */
export class UnexpectedAnswer extends Error {
  readonly status: number;
  /** The seconds that the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(contract: Endpoint, status: number, retryAfter?: string) {
    super(`${contract.method} ${contract.path} answered HTTP ${status} without a catalogued body`);
    this.name = 'UnexpectedAnswer';
    this.status = status;
    this.retryAfter = Number(retryAfter) || undefined;
  }
}

/** Calls an endpoint by its contract; a refusal comes back as thrown. By undici, because fetch sends again after a 421. */
export class ApiClient {
  readonly base: string;
  private readonly options: ApiClientOptions;

  constructor(base: string, options: ApiClientOptions = {}) {
    this.base = base.replace(/\/$/, '');
    this.options = options;
  }

  /** Calls the endpoint and returns its result. Of a stream of events it returns the first, and closes the stream. */
  async call<E extends Endpoint>(contract: E, request: Request<E>): Promise<Output<E>> {
    refuseInTransaction(`a call of ${contract.path}`);
    const startedAt = performance.now();
    const attributes = { 'http.request.method': contract.method, 'http.route': contract.path };
    return inSpan(`${contract.method} ${contract.path}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const { status, retryAfter, body } = await this.exchange(contract, request as AnyRequest);
      span.setAttribute('http.response.status_code', status);
      timed(RUNTIME_METRICS.httpClient, startedAt, { ...attributes, 'http.response.status_code': status });
      if (status === contract.status) {
        this.options.onExchange?.({ contract, status });
        return (contract.received ?? contract.result).parse(body) as Output<E>;
      }
      throw this.refusal(contract, status, retryAfter, body);
    });
  }

  /** The events of a stream as they come, until it is over or its reader leaves. */
  async *events<E extends Endpoint & { produces: 'events' }>(contract: E, request: Request<E>): AsyncGenerator<Output<E>> {
    const response = await this.open(contract, request as AnyRequest);
    const { statusCode: status } = response;
    if (status !== contract.status)
      throw this.refusal(
        contract,
        status,
        response.headers['retry-after'] as string | undefined,
        jsonIn((await readBounded(response.body)).toString('utf8')),
      );
    this.options.onExchange?.({ contract, status });
    for await (const event of readEvents(response.body)) yield (contract.received ?? contract.result).parse(event) as Output<E>;
  }

  private refusal(contract: Endpoint, status: number, retryAfter: string | undefined, body: unknown): Error {
    const refusal = Refusal.fromBody(body, status);
    this.options.onExchange?.({ contract, status, ...(refusal && { error_key: refusal.key }) });
    if (!refusal) return new UnexpectedAnswer(contract, status, retryAfter);
    return Number(retryAfter) ? refusal.after(Number(retryAfter)) : refusal;
  }

  private async exchange(contract: Endpoint, request: AnyRequest) {
    const response = await this.open(contract, request);
    const header = (name: string) => response.headers[name] as string | undefined;
    const isStream = response.statusCode === contract.status && contract.produces === 'events';
    const body = isStream
      ? await firstEvent(response.body)
      : readAnswer(contract, response.statusCode, header, await this.bytesOf(contract, response));
    return { status: response.statusCode, retryAfter: header('retry-after'), body };
  }

  /** Reads an answer whole, unless it is a result that is longer than wanted. */
  private async bytesOf(contract: Endpoint, { statusCode, headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
    const { most } = this.options;
    if (!most || statusCode !== contract.status) return readBounded(body);
    if (Number(headers['content-length'] ?? 0) <= most.bytes) return readBounded(body, most);
    body.on('error', () => undefined).destroy(); // which closes the connection, and fails the body
    throw most.refusal();
  }

  private async open(contract: Endpoint, { params, query, headers: read, body: sent }: AnyRequest) {
    const { token, headers: own, proves, timeoutMs = 30_000, dispatcher, signal } = this.options;
    const accept = contract.produces === 'events' ? EVENTS_ACCEPTED : 'application/json';
    const headers: Record<string, string> = { ...own, ...read, accept, ...(token && { authorization: `Bearer ${token}` }) };
    carryTrace({ get: (name) => headers[name], set: (name, value) => void (headers[name] = value) });
    const [contentType, payload] = encode(contract, sent);
    if (contentType) headers['content-type'] = contentType;
    const url = `${this.base}${pathOf(contract, params)}${searchOf(query)}`;
    Object.assign(headers, proves?.({ contract, params: params ?? {}, url, token, body: payload }));
    return send(url, {
      method: contract.method,
      headers,
      ...(payload !== undefined && { body: payload }),
      headersTimeout: timeoutMs,
      bodyTimeout: contract.produces === 'events' ? SILENT_MS : timeoutMs,
      ...(dispatcher && { dispatcher }),
      ...(signal && { signal }),
    });
  }
}

/** A stream that is silent for this long is dead: otherwise a comment would have come. */
const SILENT_MS = 90_000;
const EVENTS_ACCEPTED = 'text/event-stream, application/json';

interface AnyRequest {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

const pathOf = (contract: Endpoint, params: Record<string, unknown> = {}) =>
  contract.path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));

function searchOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length ? `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}` : '';
}

function encode(contract: Endpoint, body: unknown): [contentType?: string, payload?: string | Uint8Array] {
  if (body === undefined) return [];
  if (contract.consumes === 'file') return ['application/pdf', body as Uint8Array];
  if (contract.consumes === 'form')
    return ['application/x-www-form-urlencoded', String(new URLSearchParams(body as Record<string, string>))];
  return ['application/json', JSON.stringify(body)];
}

/** Reads a success in the form that its contract says; a refusal is always structured. */
function readAnswer(
  { produces, status, result }: Endpoint,
  answered: number,
  header: (name: string) => string | undefined,
  bytes: Buffer,
): unknown {
  if (answered === status && produces === 'redirect') return { location: header('location') };
  if (answered === status && produces === 'page') return { html: bytes.toString('utf8') };
  if (answered === status && produces === 'bytes') return readFileAnswer(result, { content_type: header('content-type') ?? '', bytes });
  return jsonIn(bytes.toString('utf8'));
}

/** Returns the first event and leaves the rest unread. */
async function firstEvent(body: AsyncIterable<Buffer>): Promise<unknown> {
  for await (const event of readEvents(body)) return event;
  return undefined;
}

const ANY_RESPONSE = { bytes: RESPONSE_BYTES, refusal: () => new Error('the answer is larger than this client reads') };

/** Reads a body whole. Leaves the rest of a body that is too long unread, which closes the connection. */
async function readBounded(body: AsyncIterable<Buffer>, { bytes, refusal } = ANY_RESPONSE): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytes) throw refusal();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
