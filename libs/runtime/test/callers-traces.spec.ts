import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Controller, Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { trace } from '@opentelemetry/api';
import { endpoint, Refusal, type Endpoint, type Input } from '@codase/contracts';
import {
  GATEKEEPER,
  createHttpServer,
  openRoutes,
  Refusals,
  Serves,
  ServesRaw,
  type Call,
  type Gatekeeper,
  type RawAnswer,
  type RawRequest,
} from '@codase/runtime/http';
import { exemplars, silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, eventually, forgetTelemetry } from '@codase/testing';
import { z } from 'zod';
import { openOpsServer } from '../src/service/ops-server.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SENT = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, baggage: 'who=stranger' };
const KNOWN = { authorization: 'Bearer good' };

const contract = <const C extends Endpoint['callers']>(path: `/${string}`, callers: C) =>
  endpoint(path.slice(1), `POST ${path}`, {
    at: ['region'],
    spec: 'D1-4',
    summary: 'A test',
    description: 'For a test alone',
    callers,
    body: z.object({ secret: z.string() }),
    result: z.object({ trace: z.string() }),
    refusals: [],
  });
const GUARDED = contract('/guarded', ['service']);
const OPEN = contract('/open', ['anyone']);
const TOKEN = contract('/token', ['anyone']);

const activeTrace = () => ({ trace: trace.getActiveSpan()?.spanContext().traceId ?? 'none' });

@Controller()
class TracedHttp {
  @Serves(GUARDED)
  guarded() {
    return activeTrace();
  }

  @Serves(OPEN)
  open() {
    return activeTrace();
  }

  @Serves(TOKEN)
  token({ body }: Input<typeof TOKEN>, _: null, { inCallersTrace }: Call) {
    if (body.secret !== 'right') throw new Refusal('oauth.invalid_client');
    return inCallersTrace(activeTrace);
  }

  @ServesRaw({ methods: ['POST'], path: '/raw', body: 'bytes' })
  async raw({ body, inCallersTrace }: RawRequest<'bytes'>): Promise<RawAnswer> {
    if (!(await body()).includes('right')) throw new Refusal('auth.token_invalid');
    return inCallersTrace(() => ({ status: 200, body: activeTrace() }));
  }
}

class TestGatekeeper implements Gatekeeper {
  /** Admits synchronously where anyone may call, as the platform's gatekeeper does. */
  admit({ callers }: Endpoint, { authorization }: Call) {
    return callers.includes('anyone') ? null : this.admitByToken(authorization);
  }
  private async admitByToken(authorization: string | undefined) {
    if (authorization !== KNOWN.authorization) throw new Refusal('auth.token_invalid');
    return { kind: 'service', service_id: 'shop', client_id: 'svc_1', company_user_id: 'acme' };
  }
  async pointElsewhere(): Promise<never> {
    throw new Refusal('request.not_found');
  }
  async turnAway(): Promise<never> {
    throw new Refusal('request.not_found');
  }
}

@Module({ imports: [DiscoveryModule], controllers: [TracedHttp], providers: [{ provide: GATEKEEPER, useClass: TestGatekeeper }] })
class TracedModule {}

describe('the trace context of an incoming request', () => {
  const { spans } = collectTelemetry();
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  let url: string;
  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(TracedModule, { logger: false });
    http = createHttpServer(silentLog, { browserOrigins: ['https://portal.example'] });
    openRoutes(app, http, new Refusals(silentLog));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    forgetTelemetry();
    await http?.close();
    await app?.close();
  });
  beforeEach(() => spans.reset());

  const post = async (path: string, headers: Record<string, string>, secret = 'right') => {
    const sent = { 'content-type': 'application/json', ...headers };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: sent, body: JSON.stringify({ secret }) });
    const body = (await answer.json()) as { trace?: string };
    const span = await eventually(async () => spans.getFinishedSpans()[0]);
    return { status: answer.status, body, span, traceId: span.spanContext().traceId };
  };

  it.each([
    ['a token', '/guarded', KNOWN],
    ['a secret in the body', '/token', {}],
    ['a signature', '/raw', {}],
  ])('is continued for a caller authenticated by %s, including the work of the handler', async (_, path, headers) => {
    const { status, body, span } = await post(path, { ...SENT, ...headers });

    expect(status).toBe(200);
    expect(body.trace).toBe(TRACE);
    expect(span).toMatchObject({ name: `POST ${path}`, parentSpanContext: { traceId: TRACE, spanId: 'b7ad6b7169203331' } });
  });

  it('links the measured response time to the span of the response', async () => {
    const { span } = await post('/guarded', { ...SENT, ...KNOWN });
    const { traceId, spanId } = span.spanContext();

    const measured = await eventually(async () =>
      exemplars.of('http.server.request.duration_seconds').find(({ span_id }) => span_id === spanId),
    );
    expect(measured).toMatchObject({ trace_id: traceId, value: expect.any(Number) });
  });

  it.each([
    ['no token', '/guarded', {}, 401],
    ['a wrong token', '/guarded', { authorization: 'Bearer bad' }, 401],
    ['a wrong secret', '/token', {}, 401],
    ['a wrong signature', '/raw', {}, 401],
    ['nothing to prove', '/open', {}, 200],
    ['no route', '/nowhere', KNOWN, 404],
    ['a format we do not have', '/guarded', { ...KNOWN, accept: 'image/png' }, 406],
  ])('is not continued for %s: the span is a new root', async (_, path, headers, expected) => {
    const { status, body, span, traceId } = await post(path, { ...SENT, ...headers }, 'wrong');

    expect(status).toBe(expected);
    expect([body.trace, traceId]).not.toContain(TRACE);
    expect(span.parentSpanContext).toBeUndefined();
    expect(span.attributes).toMatchObject({ 'http.response.status_code': expected });
  });

  it('is not needed: a request without one has its span from the start', async () => {
    const { body, traceId } = await post('/open', { baggage: SENT.baggage });

    expect(body.trace).toBe(traceId);
  });

  it.each([
    ['known', '/guarded', { ...SENT, ...KNOWN }],
    ['unknown', '/open', {}],
  ])('covers the work for a caller who is %s when the body arrives later than the headers', async (_, path, headers) => {
    const sent = request(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    const hasArrived = once(http.server, 'request');
    sent.write('{"secret":');
    await hasArrived;
    sent.end('"right"}');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const body = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as { trace: string };
    const span = await eventually(async () => spans.getFinishedSpans()[0]);

    expect(body.trace).toBe(span.spanContext().traceId);
  });

  it('starts no span on the port of the probes', async () => {
    const ops = await openOpsServer({ host: '127.0.0.1', port: 0, readiness: async () => ({ ready: true, checks: {} }), log: silentLog });

    for (const path of ['/livez', '/readyz', '/metrics']) await (await fetch(`${ops.url}${path}`, { headers: SENT })).arrayBuffer();
    await ops.close();

    expect(spans.getFinishedSpans()).toEqual([]);
  });
});
