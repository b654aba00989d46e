import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DELIVERY_BYTES, Refusal } from '@cds/contracts';
import { count, describeError, inSpan, LOG, SpanKind, timed, traceOf, type Log } from '@cds/runtime/telemetry';
import { HOOKS, type Hooks } from '../config.ts';
import { Deliveries } from './deliveries.service.ts';

const ROUTE = { 'http.request.method': 'POST', 'http.route': '/hooks/{service}' } as const;
const PATH = /^\/hooks\/([A-Za-z0-9_-]{1,64})$/;
const REQUEST_MS = 15_000;

/**
 * Where webhooks deliver. A plain server, as a signature is over the very bytes: 200 is said once the event is stored, anything else makes
 * the platform keep it. @spec D1-6.3
 */
@Injectable()
export class DeliveriesDoor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(HOOKS) private readonly hooks: Hooks,
    private readonly deliveries: Deliveries,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Nothing listens where nothing is delivered. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.hooks) return;
    const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 16 * 1024 };
    this.server = createServer(limits, (request, response) => void this.answer(request, response));
    await once(this.server.listen(this.hooks.port, this.hooks.host), 'listening');
  }

  /** Those in hand are answered first. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const parent = traceOf({ get: (name) => request.headers[name] as string | undefined, set: () => undefined });
    const options = { kind: SpanKind.SERVER, parent, attributes: ROUTE };
    const taken = inSpan('POST /hooks/{service}', options, () => this.take(request));
    const refusal = await taken.then(
      () => undefined,
      (error: unknown) => this.refusalFor(error),
    );
    const status = refusal?.status ?? 200;
    const headers = { 'content-type': 'application/json', ...(!request.complete && { connection: 'close' }) };
    response.writeHead(status, headers).end(JSON.stringify(refusal?.toBody() ?? { stored: true }));
    timed('httpServer', startedAt, { ...ROUTE, 'http.response.status_code': status });
  }

  private async take(request: IncomingMessage): Promise<void> {
    const service = PATH.exec(request.url ?? '')?.[1];
    const isDelivery = request.method === 'POST' && service !== undefined;
    if (!isDelivery) throw new Refusal('request.not_found').because('Deliver with POST to /hooks/NAME');
    await this.deliveries.take(service, request.headers, await bodyOf(request));
  }

  /** What nobody foresaw is logged, counted and answered without a word of its inside. */
  private refusalFor(error: unknown): Refusal {
    const refusal = error instanceof Refusal ? error : new Refusal('service.unavailable');
    if (error !== refusal) {
      count('unexpected', { 'error.type': describeError(error)['error.type'] });
      this.log.error('a delivery could not be taken', { error });
    }
    count('feedRefused', { 'cds.error_key': refusal.key });
    return refusal;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > DELIVERY_BYTES) throw new Refusal('request.too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
