import { CONTENT_SHA256_HEADER, jsonIn, Refusal, TIMEOUT_HEADER, type Endpoint, type Output, type Request } from '@codase/contracts';
import { carryTrace, inSpan, SpanKind } from '@codase/runtime/telemetry';

/** The gateway's HTTP server. */
export interface GatewayAddress {
  url: string;
  /** The token that the gateway's operator gave this service. */
  token: string;
}

/** The timeout of a transfer, and a signal that ends it. */
export interface TransferOptions {
  /** How long to wait for the answer to begin. */
  timeoutMs?: number;
  /** Ends the call at any time, also while its body is read. */
  signal?: AbortSignal;
}

/** A file that is read as a stream. */
export interface Download {
  content_type: string;
  /** The SHA-256 of the file's bytes, as the platform sent it. */
  content_sha256: string | undefined;
  body: ReadableStream<Uint8Array>;
}

interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** The body as JSON text that is made while it is sent, in place of `body`. */
  pieces?: AsyncIterable<Uint8Array>;
}

/**
 * How long a request waits for its answer. A platform that pauses its writes says to come back in thirty seconds, and the gateway waits
 * that long as part of this time; the rest is for the call itself. @spec D1-7
 */
export const REQUEST_TIMEOUT_MS = 45_000;
const ANSWER_BYTES = 8 * 1024 * 1024;

/** Calls the gateway over HTTP: for files, which may be longer than the bus carries. */
export class GatewayHttp {
  constructor(
    private readonly address: GatewayAddress | undefined,
    private readonly service: string,
  ) {}

  /** Begins a download. If the answer is cut off while it comes, its body fails, and the bytes read so far are not the whole file. */
  async download<E extends Endpoint>(contract: E, request: Request<E>, options?: TransferOptions): Promise<Download> {
    const { headers, body } = await this.call(contract, request as Parts, options);
    return {
      content_type: headers.get('content-type') ?? 'application/octet-stream',
      content_sha256: headers.get(CONTENT_SHA256_HEADER) ?? undefined,
      body: endedBy(options?.signal, body ?? new Response('').body!),
    };
  }

  upload<E extends Endpoint>(contract: E, request: Request<E>, options?: TransferOptions): Promise<Output<E>> {
    return this.uploadPieces(contract, request as Parts, options);
  }

  /** Sends a body that is made while it is sent, so that it is never in memory whole. */
  async uploadPieces<E extends Endpoint>(contract: E, request: Parts, options?: TransferOptions): Promise<Output<E>> {
    const response = await this.call(contract, request, options);
    return contract.result.parse(jsonIn(await readBounded(response))) as Output<E>;
  }

  /** Whether the address of the gateway's HTTP server is known. */
  get isKnown(): boolean {
    return this.address !== undefined;
  }

  private call(contract: Endpoint, request: Parts, options: TransferOptions = {}): Promise<Response> {
    const attributes = { 'http.request.method': contract.method, 'http.route': contract.path };
    return inSpan(`${contract.method} ${contract.path}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const response = await this.send(contract, request, options);
      span.setAttribute('http.response.status_code', response.status);
      if (response.status === contract.status) return response;
      throw await refusalIn(response);
    });
  }

  private async send(contract: Endpoint, { params, query, body, pieces }: Parts, options: TransferOptions): Promise<Response> {
    const { url, token } = this.known();
    const { timeoutMs = REQUEST_TIMEOUT_MS, signal } = options;
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, [TIMEOUT_HEADER]: String(timeoutMs) };
    if (body !== undefined || pieces) headers['content-type'] = 'application/json';
    carryTrace({ get: (header) => headers[header], set: (header, value) => void (headers[header] = value) });
    const address = `${url.replace(/\/$/, '')}/v1/${this.service}/${contract.name}${searchOf({ ...params, ...query })}`;
    const payload = pieces
      ? { body: ReadableStream.from(pieces), duplex: 'half' as const }
      : body === undefined
        ? {}
        : { body: JSON.stringify(body) };
    return begun(address, { method: contract.method, headers, redirect: 'error', ...payload }, timeoutMs, signal);
  }

  private known(): GatewayAddress {
    if (this.address) return this.address;
    throw new Error(
      "This client does not know the address of the gateway's HTTP server: give connect() a `gateway` with its url and token",
    );
  }
}

/** Returns the answer as soon as it has begun. The timeout does not bound the time that its body takes. */
async function begun(address: string, sent: RequestInit, timeoutMs: number, signal: AbortSignal | undefined): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    return await fetch(address, { ...sent, signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw Object.assign(new Refusal('service.unavailable').because("The gateway's HTTP server does not answer"), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the body when the signal aborts. `fetch` loses its signal when the garbage collector runs while a body is read; a pipe does not. */
const endedBy = (signal: AbortSignal | undefined, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  signal ? body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) : body;

function searchOf(members: Record<string, unknown>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length > 0 ? `?${search}` : '';
}

async function refusalIn(response: Response): Promise<Refusal> {
  const body = jsonIn(await readBounded(response));
  const refusal = Refusal.fromBody(body, response.status) ?? Refusal.ofNewerRelease(body, response.status);
  const seconds = Number(response.headers.get('retry-after'));
  if (refusal) return seconds ? refusal.after(seconds) : refusal;
  return new Refusal('service.unavailable').because(`The gateway's HTTP server answered ${response.status} without a reason`);
}

async function readBounded({ body }: Response): Promise<string> {
  const [chunks, decoder] = [[] as string[], new TextDecoder()];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw new Error('The answer of the gateway is longer than this client reads');
    chunks.push(decoder.decode(chunk, { stream: true }));
  }
  return chunks.join('') + decoder.decode();
}
