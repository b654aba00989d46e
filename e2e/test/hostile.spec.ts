import type { NatsServer } from '@codase/servers';
import { faultsOf, hostile } from '../src/index.ts';

it('the platform stays small and serves good callers while strangers attack from many addresses', async () => {
  const nats = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;
  const servers = { postgresUrl: process.env['CODASE_TEST_POSTGRES_URL']!, nats, durable: false };

  const result = await hostile({ nats, servers, seconds: 12, strength: 0.3, measuresMachine: false });

  const { before, during, strangers } = result;
  const { tried } = strangers;
  console.info(`good callers: p99 ${before.p99_ms} ms before, ${during.p99_ms} ms during ${tried} connections of strangers`);
  expect(faultsOf(result).always).toEqual([]);
  expect([before.calls > 0, during.calls > 0, tried > 100]).toEqual([true, true, true]);
});
