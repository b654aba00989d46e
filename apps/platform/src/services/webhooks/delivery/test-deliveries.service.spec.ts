import { jest } from '@jest/globals';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import type { DeliveriesStore } from './deliveries.store.ts';
import type { Dispatcher } from './dispatcher.service.ts';
import type { DeliveryResult } from './pending-delivery.ts';
import { TestDeliveries } from './test-deliveries.service.ts';

const OK: DeliveryResult = { delivered: true, status: 200, reason: null };

/** Test deliveries with a played database, which notifies at once, and with endpoints that answer when they are told to. */
class Played {
  answer: (result: DeliveryResult) => void = () => undefined;
  sent: string[] = [];
  notifies: () => void = () => undefined;
  readonly tests: TestDeliveries;

  constructor() {
    const answers: ((result: DeliveryResult) => void)[] = [];
    this.answer = (result) => answers.splice(0).forEach((answer) => answer(result));
    const query = async (_: string, [channel, payload]: string[]) => this.notify(channel!, payload!);
    this.tests = new TestDeliveries({
      db: { createQueryRunner: () => ({ query, release: async () => undefined }) } as unknown as DataSource,
      store: {
        target: async (webhook_id: string) => ({ webhook_id, company_user_id: webhook_id.split('_')[0], enabled: true }),
        probeAtOnce: async () => undefined,
      } as unknown as DeliveriesStore,
      dispatcher: {
        isOurs: () => true,
        sendBeside: async (webhook_id: string) => {
          this.sent.push(webhook_id);
          return new Promise<DeliveryResult>((answer) => answers.push(answer));
        },
      } as unknown as Dispatcher,
      clock: new ManualClock(new Date('2026-03-10T12:00:00Z')),
      log: silentLog,
    });
  }

  private notify(channel: string, payload: string): { records: unknown[] } {
    this.notifies();
    this.tests.listeners[channel as keyof TestDeliveries['listeners']](payload);
    return { records: [] };
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('test deliveries @gap D1-4.7', () => {
  it('run one at a time per webhook and a limited number per company, and refuse the excess at once', async () => {
    const played = new Played();
    const first = Array.from({ length: 8 }, (_, nth) => played.tests.request(`acme_${nth}`));
    await settled();

    expect(await played.tests.request('acme_0')).toMatchObject({ delivered: false, reason: expect.stringContaining('under way') });
    expect(await played.tests.request('acme_8')).toMatchObject({ delivered: false, reason: expect.stringContaining('too many') });
    const other = played.tests.request('bolt_0');
    await settled();
    expect(played.sent).toEqual(['acme_0', 'acme_1', 'acme_2', 'acme_3', 'acme_4', 'acme_5', 'acme_6', 'acme_7', 'bolt_0']);

    played.answer(OK);
    expect(await Promise.all([...first, other])).toEqual(Array.from({ length: 9 }, () => OK));
    const again = played.tests.request('acme_0');
    await settled();
    played.answer(OK);
    expect(await again).toEqual(OK);
  });

  it('reject once when the database fails, without a later unhandled rejection', async () => {
    const late: (() => void)[] = [];
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void) => late.push(work)) as never);
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const played = new Played();
    played.notifies = () => {
      throw new Error('the database is away');
    };

    await expect(played.tests.request('acme_0')).rejects.toThrow('the database is away');
    for (const work of late) work();
    await settled();
    timers.mockRestore();
    process.off('unhandledRejection', note);
    expect(late).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });
});
