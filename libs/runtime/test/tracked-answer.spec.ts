import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Controller, Module } from '@nestjs/common';
import { endpoint, type Input } from '@codase/contracts';
import { TrackedAnswer, Serves } from '@codase/runtime/http';
import { startService, type RunningService } from '@codase/runtime/service';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, TestBus } from '@codase/testing';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

const reported = endpoint('told', 'GET /told/{chars}', {
  at: ['region'],
  spec: 'D1-4.3',
  summary: 'An answer that is followed',
  description: 'For a test alone',
  callers: ['anyone'],
  params: z.object({ chars: z.coerce.number() }),
  result: z.object({ text: z.string().max(20_000_000) }),
  refusals: [],
});
const LONG = 16_000_000;
const TOO_LONG = 20_000_001;

/** A time limit so long that a busy machine cuts nothing off. */
const PATIENT_MS = 30_000;
let withinMs: number;
const ends: boolean[] = [];

@Controller()
class ReportedHttp {
  @Serves(reported)
  tell({ params }: Input<typeof reported>) {
    return new TrackedAnswer({ text: 'x'.repeat(params.chars) }, { left: (wasWritten) => void ends.push(wasWritten), withinMs });
  }
}
@Module({ controllers: [ReportedHttp] })
class ReportedModule {}

describe('a tracked answer', () => {
  let bus: TestBus;
  let service: RunningService;
  beforeAll(async () => {
    bus = await TestBus.open();
    const config = serviceConfig(bus);
    service = await startService({
      name: 'told',
      config,
      log: silentLog,
      build: async () => ({ module: ReportedModule, listen: { host: '127.0.0.1', port: 0 } }),
    });
  });
  afterAll(async () => {
    await service?.close();
    await bus?.close();
  });
  beforeEach(() => {
    ends.length = 0;
    withinMs = PATIENT_MS;
  });

  const asks = async (chars: number): Promise<IncomingMessage> => {
    const request = get(`${service.url}/told/${chars}`, { agent: false }).on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer.on('error', () => undefined).pause();
  };
  const itEnds = () => eventually(async () => (ends.length > 0 ? ends : undefined));

  it.each([[10], [LONG]])('is reported as sent when all of its %d characters are written', async (chars) => {
    (await asks(chars)).resume();
    expect(await itEnds()).toEqual([true]);
  });

  it('is reported as not sent when the client disconnects before it has read all of it', async () => {
    const answer = await asks(LONG);
    expect(ends).toEqual([]);

    answer.destroy();
    expect(await itEnds()).toEqual([false]);
  });

  it('is cut off and reported as not sent when its timeout elapses', async () => {
    withinMs = 200;
    const answer = await asks(LONG);
    expect(await itEnds()).toEqual([false]);

    await new Promise((resolve) => answer.once('close', resolve).resume());
    expect(answer.complete).toBe(false);
  });

  it('is reported as not sent when it violates its contract', async () => {
    const answer = await asks(TOO_LONG);
    expect([answer.statusCode, ends]).toEqual([503, [false]]);
    answer.resume();
  });
});
