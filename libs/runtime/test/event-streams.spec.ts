import 'reflect-metadata';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Controller, Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { endpoint, Refusal, type Endpoint, type Input } from '@codase/contracts';
import {
  ApiClient,
  EventSink,
  EventStream,
  GATEKEEPER,
  createHttpServer,
  openRoutes,
  Refusals,
  Serves,
  type Call,
  type Gatekeeper,
} from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually } from '@codase/testing';
import { z } from 'zod';

const Tick = z.object({ id: z.string(), event: z.literal('tick'), data: z.object({ nth: z.int() }) });
type Tick = z.infer<typeof Tick>;

const ticks = endpoint('ticks', 'GET /ticks', {
  at: ['region'],
  spec: 'D1-4',
  summary: 'Ticks',
  description: 'Ticks.',
  callers: ['person'],
  headers: z.object({ 'last-event-id': z.string().regex(/^\d+$/).optional() }),
  result: Tick,
  produces: 'events',
  refusals: [],
});

const sinks: EventSink<Tick>[] = [];
const tick = (nth: number) => ({ id: String(nth), event: 'tick' as const, data: { nth, secret: 'never' } });

@Controller()
class TicksHttp {
  @Serves(ticks)
  ticks({ headers: { 'last-event-id': last = '0' } }: Input<typeof ticks>) {
    return new EventStream<Tick>((sink) => {
      sinks.push(sink);
      void sink.send(tick(Number(last) + 1));
    });
  }
}

const signedOut = new Set<string>();

class KnownCallers implements Gatekeeper {
  admit(_: Endpoint, { authorization }: Call) {
    if (authorization === undefined) throw new Refusal('auth.token_invalid');
    return { kind: 'person', client_id: 'app_person', person_user_id: authorization };
  }
  stillAdmits = async (_: Endpoint, { authorization }: Call) => !signedOut.has(authorization!);
  pointElsewhere = () => Promise.reject(new Refusal('request.not_found'));
  turnAway = () => Promise.reject(new Refusal('request.not_found'));
}

@Module({ imports: [DiscoveryModule], controllers: [TicksHttp], providers: [{ provide: GATEKEEPER, useClass: KnownCallers }] })
class TicksModule {}

describe('a route that responds with an event stream', () => {
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  let url: string;
  beforeEach(async () => {
    app = await NestFactory.createApplicationContext(TicksModule, { logger: false });
    http = createHttpServer(silentLog, { connections: { most: 4, perAddress: 4 } });
    openRoutes(app, http, new Refusals(silentLog));
    url = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const sink of sinks.splice(0)) sink.cut();
    await http.close();
    await app.close();
  });

  const client = (token = 'ana') => new ApiClient(url, { token });
  const follow = (token?: string, headers = {}) => client(token).events(ticks, { headers });
  const asks = async (headers: Record<string, string>) => {
    const request = get(`${url}/ticks`, { headers: { authorization: 'ana', ...headers } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { answer, leave: () => request.destroy() };
  };

  it('sends events as they occur, with only the members of their schema', async () => {
    const events = follow();

    expect((await events.next()).value).toEqual({ id: '1', event: 'tick', data: { nth: 1 } });
    await sinks[0]!.send(tick(2));
    expect((await events.next()).value).toEqual({ id: '2', event: 'tick', data: { nth: 2 } });
    sinks[0]!.end();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('sends the headers of an uncached event stream, and suggests a reconnect time', async () => {
    const { answer, leave } = await asks({ accept: 'text/event-stream' });

    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(String((await once(answer, 'data'))[0])).toMatch(/^retry: \d{4}\n\n/);
    leave();
  });

  it('reads the request headers of its contract, and refuses an invalid one', async () => {
    expect((await follow('ana', { 'last-event-id': '41' }).next()).value).toMatchObject({ id: '42' });
    await expect(client().call(ticks, { headers: { 'last-event-id': 'x' } })).rejects.toMatchObject({
      key: 'request.invalid',
      status: 400,
    });
  });

  it('refuses a request like every other route', async () => {
    await expect(new ApiClient(url).call(ticks, { headers: {} })).rejects.toMatchObject({ key: 'auth.token_invalid' });
    expect((await asks({ accept: 'image/png' })).answer.statusCode).toBe(406);
    const { answer } = await asks({ accept: 'text/event-stream', 'last-event-id': 'x' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('ends the stream of a caller who is no longer admitted, and no other stream', async () => {
    const [ana, ben] = [follow('ana'), follow('ben')];
    await Promise.all([ana.next(), ben.next()]);

    signedOut.add('Bearer ana');

    expect(await ana.next()).toEqual({ done: true, value: undefined });
    expect(sinks.map(({ isOver }) => isOver)).toEqual([true, false]);
    signedOut.clear();
  });

  it("refuses a new stream when streams use half of the server's connections", async () => {
    const open = [follow('ana'), follow('ben')];
    await Promise.all(open.map((one) => one.next()));

    await expect(client('cleo').call(ticks, { headers: {} })).rejects.toMatchObject({
      key: 'service.overloaded',
      status: 503,
      retryAfter: 1,
    });
    await open[0]!.return(undefined);
    await eventually(async () => sinks[0]!.isOver || undefined);
    expect(await client('cleo').call(ticks, { headers: {} })).toMatchObject({ event: 'tick' });
  });

  it('closes a stream when its client disconnects', async () => {
    const events = follow();
    await events.next();

    await events.return(undefined);

    await eventually(async () => sinks[0]!.isOver || undefined);
    expect(await sinks[0]!.send(tick(2))).toBe(false);
  });

  it('ends its streams at once when the server closes', async () => {
    const events = follow();
    await events.next();

    await http.close();

    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});
