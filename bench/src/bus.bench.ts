import { Controller, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { subject } from '@codase/contracts';
import { Answers, BusExceptionFilter, BusTransport, type MessageOf } from '@codase/runtime/nest-bus';
import { silentLog } from '@codase/runtime/telemetry';
import { z } from 'zod';
import { openBus } from './harness/bench-bus.ts';
import { bench } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const shapes = { message: z.strictObject({ name: z.string() }), reply: z.object({ text: z.string() }) };
const GREET = subject('bench.greet.{language}', shapes);
const GREET_DIRECTLY = subject('bench.greet_directly.{language}', shapes);
const IN_FLIGHT = 64;

@Controller()
class GreetBus {
  @Answers(GREET)
  greet({ name }: MessageOf<typeof GREET>) {
    return { text: `hello ${name}` };
  }
}

@Module({ controllers: [GreetBus], providers: [{ provide: APP_FILTER, useClass: BusExceptionFilter }] })
class GreetModule {}

async function setup() {
  const { nats, connect } = await openBus({ durable: false });
  const [asker, answerer] = [await connect(), await connect()];
  await answerer.answer(GREET_DIRECTLY, {}, ({ name }) => ({ text: `hello ${name}` }));
  const app = await NestFactory.createMicroservice(GreetModule, { strategy: new BusTransport(answerer, silentLog), logger: false });
  await app.listen();
  answerer.connection.subscribe('bench.bare', {
    callback: (_, message) => void message.respond(JSON.stringify({ text: `hello ${message.json<{ name: string }>().name}` })),
  });
  await answerer.connection.flush();
  return { nats, asker, answerer, app };
}

const ANA = { name: 'Ana' };
const asking = (work: (state: Awaited<ReturnType<typeof setup>>) => Promise<unknown>) => repeatAsync(work, { atOnce: IN_FLIGHT });

/** Measures what typed subjects, validation, spans and refusals cost on top of the bare client, and what Nest's pipeline adds. */
export default bench({
  name: 'bus',
  what: 'a typed request answered by a Nest controller, against the bus without Nest and the bare NATS client doing the same JSON',
  unit: 'requests/s',
  setup,
  teardown: async ({ nats, asker, answerer, app }) => {
    await app.close();
    await Promise.all([asker.close(), answerer.close()]);
    await nats.stop();
  },
  contenders: {
    floor: asking(async ({ asker }) => (await asker.connection.request('bench.bare', JSON.stringify(ANA))).json()),
    'without Nest': asking(({ asker }) => asker.request(GREET_DIRECTLY, { language: 'sv' }, ANA)),
    ours: asking(({ asker }) => asker.request(GREET, { language: 'sv' }, ANA)),
  },
  bar: 0.5,
});
