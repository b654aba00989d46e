import { inSpan, SpanKind, telemetry } from '@codase/runtime/telemetry';
import { startTelemetry } from '@codase/runtime/telemetry/sdk';
import type { SeenSpan } from '@codase/stack/trace-receiver';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawTrace } from './draw-trace.ts';

const WAIT_MS = 5000;

/** Runs the work in a trace of its own and draws it as the stack's receiver saw it, if there is one. */
export async function traced<T>(receiver: string | undefined, work: () => Promise<T>): Promise<{ answer: T; drawing?: string }> {
  if (!receiver) return { answer: await work() };
  startTelemetry('shop-backend', { spans: new OTLPTraceExporter({ url: `${receiver}/v1/traces` }) });
  const { answer, traceId } = await inSpan('ask whoami', { kind: SpanKind.INTERNAL }, async (span) => ({
    answer: await work(),
    traceId: span.spanContext().traceId,
  }));
  await telemetry.flush();
  return { answer, drawing: drawTrace(await whole(receiver, traceId)) };
}

/** Returns the whole trace. Spans arrive from several processes in batches, so a trace is whole when it stops growing. */
async function whole(receiver: string, traceId: string): Promise<SeenSpan[]> {
  let spans: SeenSpan[] = [];
  const deadline = performance.now() + WAIT_MS;
  for (let grown = true; grown && performance.now() < deadline;) {
    await sleep(1000);
    const now = (await (await fetch(`${receiver}/traces/${traceId}`)).json()) as SeenSpan[];
    grown = now.length > spans.length;
    spans = now;
  }
  return spans;
}
