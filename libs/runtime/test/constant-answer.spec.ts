import { Controller, Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { endpoint } from '@codase/contracts';
import { ConstantAnswer, createHttpServer, openRoutes, Refusals, Serves } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { z } from 'zod';

const LONG = endpoint('long', 'GET /long', {
  at: ['front-door'],
  spec: 'D1-4',
  summary: 'A long document',
  description: 'For a test alone',
  callers: ['anyone'],
  result: z.object({ text: z.string() }),
  refusals: [],
});

@Controller()
class LongHttp {
  private readonly document = new ConstantAnswer({ text: 'x'.repeat(100_000), inside: 'nobody sees it' });

  @Serves(LONG)
  read() {
    return this.document;
  }
}

@Module({ imports: [DiscoveryModule], controllers: [LongHttp] })
class LongModule {}

describe('a constant answer', () => {
  let app: INestApplicationContext;
  let http: ReturnType<typeof createHttpServer>;
  const sent: unknown[] = [];
  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(LongModule, { logger: false });
    http = createHttpServer(silentLog);
    http.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload));
    openRoutes(app, http, new Refusals(silentLog));
  });
  afterAll(async () => {
    await http?.close();
    await app?.close();
  });

  it('is serialised once in each format, and sent from the same bytes each time', async () => {
    const ask = (accept: string) => http.inject({ url: '/long', headers: { accept } });
    const [json] = [await ask('application/json'), await ask('application/json')];
    const [xml] = [await ask('application/xml'), await ask('application/xml')];

    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json.json()).toEqual({ text: 'x'.repeat(100_000) });
    expect(xml.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(xml.body).toContain('<text>xxx');
    expect(sent.every((payload) => Buffer.isBuffer(payload))).toBe(true);
    expect(new Set(sent).size).toBe(2);
  });
});
