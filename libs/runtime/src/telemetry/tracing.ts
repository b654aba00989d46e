import {
  context,
  INVALID_SPAN_CONTEXT,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { Refusal } from '@codase/contracts';
import type { Attributes } from './attributes.ts';

export { SpanKind };

/** Anything that carries headers: an HTTP request, a NATS message. */
export interface Carrier {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

const getter = { keys: () => ['traceparent', 'tracestate'], get: (carrier: Carrier, name: string) => carrier.get(name) || undefined };
const setter = { set: (carrier: Carrier, name: string, value: string) => carrier.set(name, value) };

/** Writes the active trace into outgoing headers. */
export const carryTrace = (carrier: Carrier): void => propagation.inject(context.active(), carrier, setter);

/** Reads the trace from incoming headers. */
export const traceOf = (carrier: Carrier): Context => propagation.extract(context.active(), carrier, getter);

/** Runs work in a trace, with no span of its own. */
export const inTrace = <T>(parent: Context, work: () => T): T => context.with(parent, work);

/** Runs work that makes no spans: a trace says what was done for a caller, and not how a connection was prepared for it. */
export const untraced = <T>(work: () => T): T => context.with(suppressTracing(context.active()), work);

/** The active trace as text, to store it with work that goes on later; null outside of any trace. */
export function activeTraceparent(): string | null {
  const carried = new Map<string, string>();
  carryTrace({ get: (name) => carried.get(name), set: (name, value) => void carried.set(name, value) });
  return carried.get('traceparent') ?? null;
}

/** The trace that was stored as text. */
export const storedTrace = (traceparent: string | null): Context =>
  traceOf({ get: (name) => (name === 'traceparent' ? (traceparent ?? undefined) : undefined), set: () => undefined });

/** Returns a link to the span of a context; of the active context when none is given. */
export const linkTo = (other: Context = context.active()): Link[] => {
  const span = trace.getSpanContext(other);
  return span ? [{ context: span }] : [];
};

/** The registered tracer; undefined when there is none, because the global provider then only waits for one. */
function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer('codase') : provider.getTracer('codase');
}

/** Stands for every span when there is no tracer. */
const UNRECORDED = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

interface SpanOptions {
  kind: SpanKind;
  parent?: Context;
  /** When the span began, if that was before now: a reading of `performance.now()`. */
  startTime?: number;
  links?: Link[];
  attributes?: Attributes;
}

export function startSpan(name: string, { kind, parent, startTime, links, attributes }: SpanOptions): { span: Span; within: Context } {
  const base = parent ?? context.active();
  const tracer = registeredTracer();
  if (!tracer) return { span: UNRECORDED, within: base };
  const span = tracer.startSpan(
    name,
    { kind, ...(startTime !== undefined && { startTime }), ...(links && { links }), attributes: { ...attributes } },
    base,
  );
  return { span, within: trace.setSpan(base, span) };
}

/** Runs work inside a span, and marks the span with the error that ended it. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { span, within } = startSpan(name, options);
  try {
    return await context.with(within, () => work(span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Writes the error onto the span. A refusal below 500 is an answer, not a failure. */
export function failSpan(span: Span, error: unknown): void {
  const attributes: Attributes =
    error instanceof Refusal
      ? { 'error.type': 'Refusal', 'codase.error_key': error.key }
      : { 'error.type': error instanceof Error ? error.name : typeof error };
  span.setAttributes({ ...attributes });
  if (!(error instanceof Refusal) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
