import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived, with the members that a reader needs to see the tree. */
export interface SeenSpan {
  trace_id: string;
  span_id: string;
  parent_id: string | undefined;
  service: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  start_ms: number;
  end_ms: number;
  attributes: Record<string, string | number | boolean>;
  /** Events of the span, such as an exception. */
  events?: { name: string; attributes: Record<string, string | number | boolean> }[];
  failed: boolean;
  failure?: string | undefined;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const BODY_BYTES = 16 * 1024 * 1024;

/** A small OTLP/HTTP endpoint that keeps the newest spans in memory, for tests and for viewing a trace of the default stack. */
export class TraceReceiver {
  private readonly spans: SeenSpan[] = [];

  private constructor(
    private readonly server: Server,
    private readonly most: number,
  ) {}

  static async open({ port = 0, most = 20_000 }: { port?: number; most?: number } = {}): Promise<TraceReceiver> {
    const server = createServer();
    const receiver = new TraceReceiver(server, most);
    server.on('request', (request, response) => {
      const traceId = /^\/traces\/([0-9a-f]{32})$/.exec(request.url ?? '')?.[1];
      if (request.method === 'GET' && traceId)
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(receiver.trace(traceId)));
      if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
      void readBody(request).then(
        (body) => {
          receiver.take(body);
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        },
        () => response.writeHead(400).end(),
      );
    });
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get all(): readonly SeenSpan[] {
    return this.spans;
  }

  trace(trace_id: string): SeenSpan[] {
    return this.spans.filter((span) => span.trace_id === trace_id).sort((a, b) => a.start_ms - b.start_ms);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  private take(body: OtlpTraces): void {
    for (const { resource, scopeSpans = [] } of body.resourceSpans ?? []) {
      const service = String(valuesOf(resource?.attributes)['service.name'] ?? '');
      for (const { spans = [] } of scopeSpans) this.spans.push(...spans.map((span) => seen(service, span)));
    }
    if (this.spans.length > this.most) this.spans.splice(0, this.spans.length - this.most);
  }
}

/** The edges of a trace as readable lines: parent > child, each with its service. */
export function edgesOf(spans: readonly SeenSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const label = ({ service, name, kind }: SeenSpan) => `${service}: ${name} (${kind})`;
  return spans.flatMap((span) => {
    const parent = span.parent_id ? byId.get(span.parent_id) : undefined;
    return parent ? [`${label(parent)} > ${label(span)}`] : [];
  });
}

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: OtlpAttribute[];
  events?: { name: string; attributes?: OtlpAttribute[] }[];
  status?: { code?: number; message?: string };
}
interface OtlpTraces {
  resourceSpans?: { resource?: { attributes?: OtlpAttribute[] }; scopeSpans?: { spans?: OtlpSpan[] }[] }[];
}

const seen = (service: string, span: OtlpSpan): SeenSpan => ({
  trace_id: span.traceId,
  span_id: span.spanId,
  parent_id: span.parentSpanId || undefined,
  service,
  name: span.name,
  kind: KINDS[span.kind] ?? 'internal',
  start_ms: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
  end_ms: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
  attributes: valuesOf(span.attributes),
  events: (span.events ?? []).map(({ name, attributes }) => ({ name, attributes: valuesOf(attributes) })),
  failure: span.status?.message,
  failed: span.status?.code === 2,
});

const valuesOf = (attributes: readonly OtlpAttribute[] = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue)]),
  );

async function readBody(request: AsyncIterable<Buffer>): Promise<OtlpTraces> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as OtlpTraces;
}
