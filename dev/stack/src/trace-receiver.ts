import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forThisMachine } from '@codase/runtime/http';
import { z } from 'zod';

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

/**
 * A small OTLP/HTTP endpoint for programs of this machine. It keeps the newest spans in memory, for tests and for viewing a trace of the
 * default stack.
 */
export class TraceReceiver {
  private readonly spans: SeenSpan[] = [];

  private constructor(
    private readonly server: Server,
    private readonly most: number,
  ) {}

  static async open({ port = 0, most = 20_000 }: { port?: number; most?: number } = {}): Promise<TraceReceiver> {
    const server = createServer();
    const receiver = new TraceReceiver(server, most);
    server.on(
      'request',
      forThisMachine((request, response) => receiver.answer(request, response)),
    );
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

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const write = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const traceId = /^\/traces\/([0-9a-f]{32})$/.exec(request.url ?? '')?.[1];
    if (request.method === 'GET' && traceId) return write(200, this.trace(traceId));
    if (request.method !== 'POST' || request.url !== '/v1/traces') return write(404, {});
    const traces = await readTraces(request);
    if (!traces) return write(400, {});
    this.take(traces);
    write(200, {});
  }

  private take({ resourceSpans }: OtlpTraces): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource?.attributes)['service.name'] ?? '');
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push(seen(service, span));
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

const Attributes = z.array(
  z.object({
    key: z.string(),
    value: z.object({
      stringValue: z.string().optional(),
      intValue: z.union([z.string(), z.number()]).optional(),
      doubleValue: z.number().optional(),
      boolValue: z.boolean().optional(),
    }),
  }),
);
const Nanoseconds = z.union([z.string().regex(/^\d{1,20}$/), z.int().nonnegative()]);
const OtlpSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes.optional(),
  events: z.array(z.object({ name: z.string(), attributes: Attributes.optional() })).optional(),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).optional(),
});
const list = <T extends z.ZodType>(item: T) => z.array(item).default([]);
const OtlpTraces = z.object({
  resourceSpans: list(
    z.object({
      resource: z.object({ attributes: Attributes.optional() }).optional(),
      scopeSpans: list(z.object({ spans: list(OtlpSpan) })),
    }),
  ),
});
type OtlpTraces = z.infer<typeof OtlpTraces>;

const seen = (service: string, span: z.infer<typeof OtlpSpan>): SeenSpan => ({
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

const valuesOf = (attributes: z.infer<typeof Attributes> = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue)]),
  );

/** Reads a body of OTLP; undefined when it is longer than the limit, or is none. */
async function readTraces(request: IncomingMessage): Promise<OtlpTraces | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return OtlpTraces.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    return undefined;
  }
}
