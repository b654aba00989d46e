import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Module } from '@nestjs/common';
import { STATUS, subject } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { Answers } from '@codase/runtime/nest-bus';
import { startService, type ServiceParts } from '@codase/runtime/service';
import { eventually, TestBus } from '@codase/testing';
import { silentLog } from '@codase/runtime/telemetry';
import { Client, request } from 'undici';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

const SLOW = subject('test.slow', { message: z.strictObject({}), reply: z.object({ done: z.boolean() }) });

@Controller()
class WorkerBus {
  @Answers(SLOW, { queue: 'worker' })
  async slow() {
    await pause(300);
    return { done: true };
  }
}
@Module({ controllers: [WorkerBus] })
class WorkerModule {}

describe('a service', () => {
  let nats: TestBus;
  let bus: Bus;
  beforeAll(async () => {
    process.env['LOG_LEVEL'] ??= 'silent';
    nats = await TestBus.open();
    bus = await nats.connect();
  });
  afterAll(() => nats?.close());

  const start = (checks: Record<string, () => string | null> = {}, extra = {}, parts: Partial<ServiceParts> = {}) => {
    const config = { ...serviceConfig(nats), NODE_ENV: 'production' as const, ...extra };
    return startService({ name: 'worker', config, build: async () => ({ module: WorkerModule, checks, ...parts }) });
  };

  it('is alive at once, and ready when its checks succeed', async () => {
    let reason: string | null = 'warming up';
    const service = await start({ oven: () => reason });

    expect((await request(`${service.opsUrl}/livez`)).statusCode).toBe(200);
    const cold = await request(`${service.opsUrl}/readyz`);
    expect(cold.statusCode).toBe(503);
    expect(await cold.body.json()).toEqual({
      ready: false,
      checks: { service: 'ok', nats: 'ok', payload: expect.stringContaining('ok'), oven: 'warming up' },
    });

    reason = null;
    expect((await request(`${service.opsUrl}/readyz`)).statusCode).toBe(200);
    expect(await bus.request(STATUS, { name: 'worker' }, {})).toMatchObject({ name: 'worker', ready: true });
    await service.close();
  });

  it('is ready on a bus with a smaller max_payload than messages may need, and says how to fix it', async () => {
    const service = await start();
    const { ready, checks } = await bus.request(STATUS, { name: 'worker' }, {});
    expect([ready, checks['payload']]).toEqual([
      true,
      expect.stringMatching(/^ok, but the bus carries 1048576 bytes .* raise max_payload/),
    ]);
    await service.close();
  });

  it('finishes requests in flight before it stops', async () => {
    const service = await start();
    const pending = bus.request(SLOW, {}, {});
    await pause(100);

    await service.close();

    expect(await pending).toEqual({ done: true });
    await expect(bus.request(SLOW, {}, {})).rejects.toMatchObject({ key: 'service.unavailable' });
    await expect(request(`${service.opsUrl}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('drains before it stops: it is not ready, takes no bus request, and closes each connection', async () => {
    const service = await start({}, {}, { listen: { host: '127.0.0.1', port: 0 } });
    const calls = new Client(service.url!);
    const call = async () => {
      const { headers, body } = await calls.request({ path: '/', method: 'GET' });
      await body.dump();
      return headers.connection;
    };
    expect(await call()).toBe('keep-alive');
    const pending = bus.request(SLOW, {}, {});
    await pause(100);

    const drained = service.drain(60_000);
    expect(await call()).toBe('close');
    expect(await (await request(`${service.opsUrl}/readyz`)).body.json()).toMatchObject({ checks: { service: 'shutting down' } });
    expect(await pending).toEqual({ done: true });
    await drained;

    await expect(bus.request(SLOW, {}, {})).rejects.toMatchObject({ key: 'service.unavailable' });
    expect((await request(`${service.opsUrl}/livez`)).statusCode).toBe(200);
    await service.close();
    await calls.close();
  });

  it('closes what it already started when a later step of the start fails', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    let closed = false;

    const failing = start({}, {}, { listen: { host: '127.0.0.1', port }, close: async () => void (closed = true) });

    await expect(failing).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(closed).toBe(true);
    await expect(bus.request(SLOW, {}, {})).rejects.toMatchObject({ key: 'service.unavailable' });
    holder.close();
  });

  it('reports the ids of its keys, the current key first, and logs them when they change', async () => {
    let ids = ['old'];
    const lines: object[] = [];
    const log = { ...silentLog, info: (message: string, facts: object = {}) => void lines.push({ message, ...facts }) };
    const config = { ...serviceConfig(nats), NODE_ENV: 'production' as const };
    const keys = { lists: [{ reread: () => undefined, ids: () => ({ pepper: ids }) }], pollSeconds: 0.05 };
    const service = await startService({ name: 'worker', config, log, build: async () => ({ module: WorkerModule, keys }) });
    const reported = async () => (await bus.request(STATUS, { name: 'worker' }, {})).keys;
    expect(await reported()).toEqual({ pepper: ['old'] });

    keys.lists[0]!.reread = () => void (ids = ['new', 'old']);

    await eventually(async () => lines.find((line) => 'codase.key_list' in line));
    expect(await reported()).toEqual({ pepper: ['new', 'old'] });
    await service.close();
    const named = lines.filter((line) => 'codase.key_list' in line);
    expect(named).toEqual([expect.objectContaining({ 'codase.key_list': 'pepper', 'codase.key_ids': 'new old' })]);
  });

  it('refuses a moved clock in production', async () => {
    await expect(start({}, { CLOCK: 'followed' })).rejects.toThrow('CLOCK');
  });
});
