import { context, ROOT_CONTEXT, type Context, type Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SpanKind, startSpan, timed, traceOf, type Attributes, type Carrier, RUNTIME_METRICS } from '../telemetry/index.ts';

/** The span that a request is answered in. */
interface RequestSpan {
  route: string;
  startedAt: number;
  /** Undefined until it is known whether the trace of the request comes from a known caller. */
  span: Span | undefined;
  /** The caller's trace, once it is continued. */
  within: Context | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the server has seen the request. */
    traced: RequestSpan | null;
  }
}

/**
 * Opens the server span, named by the route's template. When the request brings a trace, the span has to wait until the caller is known: a
 * stranger who says "sampled" would have every one of its calls recorded here and in all services they lead to.
 */
export function openSpan(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const traced: RequestSpan = { route: routeOf(request), startedAt: performance.now(), span: undefined, within: undefined };
  request.traced = traced;
  if (request.headers['traceparent'] !== undefined) return done();
  context.with(startIn(ROOT_CONTEXT, request, traced), done);
}

/** Does work in the trace of a caller that has proven who it is; every other call gets a trace of ours. */
export function inCallersTrace<T>(request: FastifyRequest, work: () => T): T {
  const { traced } = request;
  if (!traced || (traced.span && !traced.within)) return work();
  traced.within ??= startIn(traceOf(carrierOf(request)), request, traced);
  return context.with(traced.within, work);
}

const carrierOf = ({ headers }: FastifyRequest): Carrier => ({ get: (name) => headers[name] as string | undefined, set: () => {} });

export function endSpan(request: FastifyRequest, reply: FastifyReply): void {
  const { traced } = request;
  if (!traced) return;
  if (!traced.span) startIn(ROOT_CONTEXT, request, traced);
  const { route, startedAt, span } = traced;
  const attributes: Attributes = {
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': reply.statusCode,
  };
  span!.setAttributes({ ...attributes });
  span!.end(performance.now());
  timed(RUNTIME_METRICS.httpServer, startedAt, attributes, span);
}

function startIn(parent: Context, { method }: FastifyRequest, traced: RequestSpan): Context {
  const { route, startedAt: startTime } = traced;
  const attributes = { 'http.request.method': method, 'http.route': route };
  const { span, within } = startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, parent, startTime, attributes });
  traced.span = span;
  return within;
}

/** The template of the route as contracts write it, which is also the name that clients use for it. */
function routeOf({ routeOptions: { url = 'unmatched' } }: FastifyRequest): string {
  const known = templates.get(url);
  if (known !== undefined) return known;
  const template = url.replace(/:(\w+)/g, '{$1}');
  templates.set(url, template);
  return template;
}
const templates = new Map<string, string>();
