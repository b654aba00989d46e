import { Controller, Module } from '@nestjs/common';
import { endpoint, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { startService } from '@codase/runtime/service';
import { silentLog } from '@codase/runtime/telemetry';
import { fastify } from 'fastify';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { BUS_USER, openBus } from './harness/bench-bus.ts';
import { bench } from './harness/bench.ts';
import { loadPeer, type NestHttp } from './harness/peers.ts';
import { repeatAsync } from './harness/repeat.ts';

const echo = endpoint('echo', 'POST /echo/{word}', {
  at: ['region'],
  spec: 'D1-4',
  summary: 'Echo',
  description: 'For a measurement alone',
  callers: ['anyone'],
  params: z.object({ word: z.string() }),
  body: z.strictObject({ count: z.int() }),
  result: z.object({ word: z.string(), count: z.int() }),
  refusals: [],
});

@Controller()
class EchoHttp {
  @Serves(echo)
  echo({ params, body }: Input<typeof echo>) {
    return { ...params, ...body };
  }
}
@Module({ controllers: [EchoHttp] })
class EchoModule {}

/** Serves the same by Nest's own pipeline on Fastify, where pipes check what comes in. Nest checks nothing of what goes out. */
async function openNest() {
  const nest = await loadPeer<NestHttp['decorators']>('@nestjs/common');
  const { NestFactory } = await loadPeer<NestHttp['core']>('@nestjs/core');
  const { FastifyAdapter } = await loadPeer<NestHttp['fastify']>('@nestjs/platform-fastify');
  const checked = (shape: z.ZodType) => ({ transform: (value: unknown) => shape.parse(value) });
  class Echo {
    echo(params: object, body: object) {
      return { ...params, ...body };
    }
  }
  const method = [Echo.prototype, 'echo', Object.getOwnPropertyDescriptor(Echo.prototype, 'echo')];
  nest.Param(checked(echo.params!))(Echo.prototype, 'echo', 0);
  nest.Body(checked(echo.body!))(Echo.prototype, 'echo', 1);
  nest.Post('echo/:word')(...method);
  nest.HttpCode(200)(...method);
  nest.Controller()(Echo);
  class App {}
  nest.Module({ controllers: [Echo] })(App);
  const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

const IN_FLIGHT = 32;

async function setup() {
  const { nats } = await openBus({ durable: false });
  const config = {
    OPS_HOST: '127.0.0.1',
    OPS_PORT: 0,
    NATS_URL: nats.url,
    NATS_USER: BUS_USER.user,
    NATS_PASSWORD: BUS_USER.password,
    CLOCK: 'system' as const,
    NODE_ENV: 'development' as const,
    SHUTDOWN_SECONDS: 5,
    CONNECT_SECONDS: 5,
  };
  const ours = await startService({
    name: 'bench',
    config,
    log: silentLog,
    build: async () => ({ module: EchoModule, listen: { host: '127.0.0.1', port: 0 } }),
  });
  const bare = fastify();
  bare.post<{ Params: { word: string }; Body: { count: number } }>('/echo/:word', async ({ params, body }) => ({ ...params, ...body }));
  const bareUrl = await bare.listen({ port: 0, host: '127.0.0.1' });
  const nest = await openNest();
  return { nats, ours, bare, bareUrl, nest, nestUrl: await nest.getUrl(), agent: new Agent({ connections: IN_FLIGHT, pipelining: 1 }) };
}

const post = async (url: string, agent: Agent) => {
  const { body } = await request(`${url}/echo/hello`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"count":7}',
    dispatcher: agent,
  });
  await body.dump();
};

/** Measures the contract binder: routing, validation both ways, negotiation, span, measurement. All contenders include the client. */
export default bench({
  name: 'http',
  what: 'a contract served by our HTTP server, against Nest on Fastify, and a bare Fastify route with no validation at all',
  unit: 'requests/s',
  setup,
  teardown: async ({ nats, ours, bare, nest, agent }) => {
    await agent.close();
    await Promise.all([ours.close(), bare.close(), nest.close()]);
    await nats.stop();
  },
  contenders: {
    floor: repeatAsync(({ bareUrl, agent }) => post(bareUrl, agent), { atOnce: IN_FLIGHT }),
    nest: repeatAsync(({ nestUrl, agent }) => post(nestUrl, agent), { atOnce: IN_FLIGHT }),
    ours: repeatAsync(({ ours, agent }) => post(ours.url!, agent), { atOnce: IN_FLIGHT }),
  },
  bar: 0.5,
});
