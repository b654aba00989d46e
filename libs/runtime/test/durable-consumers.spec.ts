import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { JetStreamApiError } from '@nats-io/jetstream';
import { headers, TimeoutError } from '@nats-io/transport-node';
import { PARKED, Refusal, subject } from '@codase/contracts';
import { Bus, DurableConsumer, ensureParkedStream, ensureStream, PARKED_HEADERS } from '@codase/runtime/bus';
import { silentLog, type Facts, type Log } from '@codase/runtime/telemetry';
import { comesTrue, TestBus } from '@codase/testing';
import { z } from 'zod';

const ORDERED = subject('test.ordered.{shop}', { stream: 'ORDERS', message: z.object({ n: z.int() }) });
const quick = { as: 'taker', backoffMs: [10, 10], ackWaitMs: 1500 };

describe('a durable consumer', () => {
  let nats: TestBus;
  let bus: Bus;
  beforeAll(async () => {
    nats = await TestBus.open();
  });
  beforeEach(async () => {
    await nats.clear();
    bus = await nats.connect();
    await ensureParkedStream(bus);
    await ensureStream(bus, 'ORDERS', [ORDERED]);
  });
  afterAll(() => nats?.close());

  const eventually = (check: () => unknown) => comesTrue(async () => expect(await check()).toBeTruthy());
  const parked = async () => (await (await bus.manager()).streams.info('PARKED')).state.messages;
  const publish = async (...ns: number[]) => {
    for (const n of ns) await bus.publish(ORDERED, { shop: 'corner' }, { n }, `order-${n}`);
  };

  it('handles each event once, in order, and acknowledges it after the handler', async () => {
    const seen: string[] = [];
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, ({ n }, { shop }) => void seen.push(`${shop} ${n}`), silentLog);
    await publish(1, 2, 3, 2);

    await eventually(() => seen.length >= 3);
    await pause(100);

    expect(seen).toEqual(['corner 1', 'corner 2', 'corner 3']);
    await eventually(async () => (await (await bus.manager()).consumers.info('ORDERS', 'taker')).num_ack_pending === 0);
    await consumer.stop();
  });

  it('retries a failed event before it handles the next, so that the order is kept', async () => {
    const seen: number[] = [];
    let failures = 2;
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      quick,
      ({ n }) => {
        seen.push(n);
        if (n === 1 && failures-- > 0) throw new Error('not yet');
      },
      silentLog,
    );
    await publish(1, 2);

    await eventually(() => seen.includes(2));

    expect(seen).toEqual([1, 1, 1, 2]);
    expect(await parked()).toBe(0);
    await consumer.stop();
  });

  it('parks an event that keeps failing, with the reason, and goes on', async () => {
    const done: number[] = [];
    const logged: [string, Facts | undefined][] = [];
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      quick,
      ({ n }) => {
        if (n === 1) throw new TypeError('never');
        done.push(n);
      },
      { ...silentLog, error: (line, facts) => void logged.push([line, facts]) },
    );
    const marks = headers();
    marks.set('ce-id', 'evt_1');
    await bus.streams.publish('test.ordered.corner', JSON.stringify({ n: 1 }), { headers: marks });
    await publish(2);

    await eventually(() => done.includes(2));

    expect(await parked()).toBe(1);
    const kept = await (await bus.manager()).streams.getMessage('PARKED', { last_by_subj: 'codase.parked.v1.taker' });
    expect(kept!.json()).toEqual({ n: 1 });
    expect(kept!.header.get(PARKED_HEADERS.reason)).toBe('TypeError');
    expect(kept!.header.get(PARKED_HEADERS.subject)).toBe('test.ordered.corner');
    expect(logged).toEqual([['event parked', expect.objectContaining({ 'messaging.message.id': 'evt_1' })]]);
    expect(PARKED.pattern).toBe('codase.parked.v1.{consumer}');
    await consumer.stop();
  });

  it('parks an unreadable message at once, without a retry', async () => {
    let calls = 0;
    const consumer = await DurableConsumer.start(bus, ORDERED, { ...quick, backoffMs: [60_000] }, () => void calls++, silentLog);
    await bus.streams.publish('test.ordered.corner', 'not json');
    await publish(1);

    await eventually(() => calls === 1);

    expect(await parked()).toBe(1);
    await consumer.stop();
  });

  it('parks a message without its body when both together are too long for the bus, and goes on', async () => {
    const done: number[] = [];
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, ({ n }) => void done.push(n), silentLog);
    const bytes = bus.messageBytes - 10;
    await bus.streams.publish('test.ordered.corner', 'x'.repeat(bytes));
    await publish(1);

    await eventually(() => done.includes(1));

    const kept = await (await bus.manager()).streams.getMessage('PARKED', { last_by_subj: 'codase.parked.v1.taker' });
    expect(kept!.data.length).toBe(0);
    expect(kept!.header.get(PARKED_HEADERS.bytesLeftOut)).toBe(String(bytes));
    expect(kept!.header.get(PARKED_HEADERS.stream)).toBe('ORDERS');
    await consumer.stop();
  });

  it('postpones an event that fails for a transient reason, and keeps the order', async () => {
    const seen: number[] = [];
    let isAway = true;
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      { ...quick, backoffMs: [], postponeMs: [20, 40] },
      ({ n }, _values, { attempt }) => {
        if (isAway && attempt > 3) isAway = false;
        if (isAway) throw new Refusal('service.unavailable');
        seen.push(n);
      },
      silentLog,
    );
    await publish(1, 2);

    await eventually(() => seen.length === 2);

    expect(seen).toEqual([1, 2]);
    expect(await parked()).toBe(0);
    await consumer.stop();
  });

  it('reports how long the oldest unfinished event has been waiting', async () => {
    let isAway = true;
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      { ...quick, postponeMs: [100] },
      () => {
        if (isAway) throw new Refusal('service.unavailable');
      },
      silentLog,
    );
    expect(consumer.oldestMs).toBe(0);
    await publish(1, 2);
    await eventually(() => consumer.oldestMs > 300);

    isAway = false;

    await eventually(() => consumer.oldestMs === 0);
    await consumer.stop();
  });

  it('filters a subject by its values, and skips unwanted events without reading them', async () => {
    const seen: string[] = [];
    const some = { ...quick, only: { shop: 'corner' }, skips: () => seen.length > 0 };
    const consumer = await DurableConsumer.start(bus, ORDERED, some, ({ n }, { shop }) => void seen.push(`${shop} ${n}`), silentLog);
    await bus.publish(ORDERED, { shop: 'mall' }, { n: 1 }, 'mall-1');
    await publish(2);
    await bus.streams.publish('test.ordered.corner', 'not json');

    await eventually(async () => {
      const { num_pending, num_ack_pending } = await (await bus.manager()).consumers.info('ORDERS', 'taker');
      return num_pending + num_ack_pending === 0;
    });
    expect(seen).toEqual(['corner 2']);
    expect(await parked()).toBe(0);
    await consumer.stop();
  });

  it('identifies an event by the id of its publisher, or by its sequence number', async () => {
    const ids: string[] = [];
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      quick,
      (_message, _values, { id, header }) => void ids.push(`${id} ${header('colour')}`),
      silentLog,
    );
    await publish(1);
    await bus.streams.publish('test.ordered.corner', '{"n":2}');

    await eventually(() => ids.length === 2);

    expect(ids).toEqual(['order-1 undefined', 'ORDERS:2 undefined']);
    await consumer.stop();
  });

  it('applies changed settings at the next start, but refuses to share a name with another filter', async () => {
    const start = (options: object) => DurableConsumer.start(bus, ORDERED, { ...quick, ...options }, () => {}, silentLog);
    await (await start({})).stop();
    await (await start({ ackWaitMs: 3000 })).stop();

    const { config } = await (await bus.manager()).consumers.info('ORDERS', 'taker');
    expect(config.ack_wait).toBe(3_000_000_000);
    await expect(start({ only: { shop: 'mall' } })).rejects.toThrow('give this one another name');
  });

  it('fails at its start when its stream does not exist', async () => {
    const elsewhere = subject('test.elsewhere', { stream: 'ELSEWHERE', message: z.object({}) });
    const hasty = await Bus.connect({ ...nats.credentials, name: 'test', log: silentLog, connectSeconds: 0 });
    await expect(DurableConsumer.start(hasty, elsewhere, quick, () => {}, silentLog)).rejects.toThrow('The stream ELSEWHERE is not there');
    await hasty.close();
  });

  it('waits at its start for a stream that does not exist yet', async () => {
    const later = subject('test.later', { stream: 'LATER', message: z.object({}) });
    const patient = await Bus.connect({ ...nats.credentials, name: 'test', log: silentLog, connectSeconds: 600 });
    const requested = new Promise<void>((resolve) => {
      bus.connection.subscribe('$JS.API.CONSUMER.CREATE.LATER.>', { callback: () => resolve(), max: 1 });
    });
    await bus.connection.flush();
    const started = DurableConsumer.start(patient, later, quick, () => {}, silentLog);
    await requested;

    await ensureStream(bus, 'LATER', [later]);

    const consumer = await started;
    expect(consumer.isSubscribed).toBe(true);
    await consumer.stop();
    await patient.close();
  });

  const notYet = { code: 503, err_code: 10003, description: 'The stream does not answer' };
  it.each([
    ['did not answer in time', new TimeoutError()],
    ['did not answer those who make consumers', new JetStreamApiError(notYet)],
  ])('retries at its start when a busy cluster %s', async (_, error) => {
    const get = jest.spyOn(bus.streams.consumers, 'get').mockRejectedValueOnce(error);

    const consumer = await DurableConsumer.start(bus, ORDERED, quick, () => {}, silentLog);

    expect(get).toHaveBeenCalledTimes(2);
    get.mockRestore();
    await consumer.stop();
  });

  it('receives an event again when the process that handled it died', async () => {
    const other = await nats.connect();
    let begun = 0;
    let release = () => {};
    const dying = await DurableConsumer.start(
      other,
      ORDERED,
      quick,
      () => {
        begun++;
        return new Promise<void>((resolve) => (release = resolve));
      },
      silentLog,
    );
    await publish(1, 2);
    await eventually(() => begun === 1);
    other.connection.close().catch(() => undefined);

    const seen: number[] = [];
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, ({ n }) => void seen.push(n), silentLog);
    await eventually(() => seen.length === 2);

    expect(seen).toEqual([1, 2]);
    await consumer.stop();
    release();
    await dying.stop();
  });

  it('waits for the current event when it is stopped', async () => {
    const steps: string[] = [];
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      quick,
      async ({ n }) => {
        steps.push(`begun ${n}`);
        await pause(200);
        steps.push(`done ${n}`);
      },
      silentLog,
    );
    await publish(1);
    await eventually(() => steps.length === 1);

    await consumer.stop();

    expect(steps).toEqual(['begun 1', 'done 1']);
  });

  const listening = () => {
    const lines: string[] = [];
    const log: Log = { ...silentLog, warn: (line) => void lines.push(line), error: (line) => void lines.push(line) };
    return { lines, log };
  };

  it('is recreated after it or its stream was deleted, and logs this', async () => {
    const { lines, log } = listening();
    const seen: number[] = [];
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, ({ n }) => void seen.push(n), log);
    const manager = await bus.manager();

    await manager.consumers.delete('ORDERS', 'taker');
    await publish(1);
    await eventually(() => seen.includes(1));
    expect(lines).toEqual(['consumer lost: it is made anew']);

    await manager.streams.delete('ORDERS');
    await eventually(() => lines.includes('consumer cannot be made anew: no events are heard until it is'));
    expect(consumer.isSubscribed).toBe(false);
    await ensureStream(bus, 'ORDERS', [ORDERED]);
    await publish(2);
    await eventually(() => seen.includes(2));

    expect([...new Set(seen)]).toEqual([1, 2]);
    expect(consumer.isSubscribed).toBe(true);
    await consumer.stop();
  });

  it('is recreated when it was deleted while an event was being handled', async () => {
    const seen: number[] = [];
    let finish = () => {};
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      quick,
      async ({ n }) => {
        seen.push(n);
        if (seen.length === 1) await new Promise<void>((resolve) => (finish = resolve));
      },
      silentLog,
    );
    await publish(1);
    await eventually(() => seen.length === 1);

    await (await bus.manager()).consumers.delete('ORDERS', 'taker');
    finish();
    await publish(2);

    await eventually(() => seen.includes(2));
    expect([...new Set(seen)]).toEqual([1, 2]);
    await consumer.stop();
  });

  it('can be stopped while it waits for a deleted stream', async () => {
    const { lines, log } = listening();
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, () => {}, log);
    await (await bus.manager()).streams.delete('ORDERS');
    await eventually(() => lines.length >= 2);

    await consumer.stop();

    expect(consumer.isSubscribed).toBe(false);
  });

  it('aborts a handler that exceeds its time, and the event is delivered again', async () => {
    const { lines, log } = listening();
    const reported: AbortSignal[] = [];
    const seen: string[] = [];
    const hung = await DurableConsumer.start(
      bus,
      ORDERED,
      { ...quick, handleMs: 200 },
      (_message, _values, { signal }) => {
        reported.push(signal);
        if (reported.length > 1) seen.push('again');
        return reported.length === 1 ? new Promise<void>(() => {}) : undefined;
      },
      log,
    );
    await publish(1);
    await eventually(() => reported.length === 1);

    const replica = await DurableConsumer.start(
      await nats.connect(),
      ORDERED,
      { ...quick, handleMs: 200 },
      () => void seen.push('at a replica'),
      silentLog,
    );
    await eventually(() => seen.length === 1);

    expect(reported[0]!.aborted).toBe(true);
    expect(lines).toEqual(['event taken from a handler that does not end: bound what it waits for']);
    await replica.stop();
    await hung.stop();
  });

  it('parks an event whose handler never ends, and goes on', async () => {
    const seen: number[] = [];
    const consumer = await DurableConsumer.start(
      bus,
      ORDERED,
      { ...quick, handleMs: 50 },
      ({ n }) => {
        seen.push(n);
        return n === 1 ? new Promise<void>(() => {}) : undefined;
      },
      silentLog,
    );
    await publish(1, 2);

    await eventually(() => seen.includes(2));

    expect(seen).toEqual([1, 1, 1, 2]);
    const kept = await (await bus.manager()).streams.getMessage('PARKED', { last_by_subj: 'codase.parked.v1.taker' });
    expect(kept!.header.get(PARKED_HEADERS.reason)).toBe('HandlerOverdue');
    await consumer.stop();
  });

  it('goes on after the server is killed and restarted, without losing an event', async () => {
    const seen: number[] = [];
    const consumer = await DurableConsumer.start(bus, ORDERED, quick, ({ n }) => void seen.push(n), silentLog);
    await publish(1);
    await eventually(() => seen.length === 1);

    nats.nats.kill();
    await nats.nats.restart();
    await eventually(() => bus.isConnected);
    await publish(2);

    await eventually(() => seen.includes(2));
    // The server may have forgotten the acknowledgement of the first message, so it may come twice. Only its loss would be a fault.
    expect([...new Set(seen)]).toEqual([1, 2]);
    await consumer.stop();
  });
});
