import { once } from 'node:events';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Backoff } from '../resilience/backoff.ts';
import { poll } from '../resilience/poll.ts';
import type { Log } from '../telemetry/index.ts';
import { OrderedBatches } from './ordered-batches.ts';
import { PendingMessages } from './pending-messages.ts';

const message = (seq: number) => ({ seq, time: new Date(0), working: () => undefined }) as unknown as JsMsg;

describe('the ordered batches of a consumer', () => {
  let handled: number[];
  let handedBack: number[];
  let stopping: AbortController;
  let said: string[];
  beforeEach(() => {
    [handled, handedBack, stopping, said] = [[], [], new AbortController(), []];
  });

  const log = {
    warn: (line: string, facts: object) => said.push(`${line} ${JSON.stringify(facts)}`),
    info: (line: string) => said.push(line),
  } as unknown as Log;
  const processor = {
    group: { 'messaging.consumer.group.name': 'test' },
    prepare: () => undefined,
    process: async ({ seq }: JsMsg) => (handled.push(seq), 'done' as const),
    processTogether: async (some: readonly JsMsg[]) => (handled.push(...some.map(({ seq }) => seq)), some),
    handBack: ({ seq }: JsMsg) => handedBack.push(seq),
    ackedElsewhere: ({ seq }: JsMsg): void => void seq,
  };

  /** Yields these messages for the first pull, and then fails as a deleted consumer does. */
  async function* lost(...seqs: number[]) {
    for (const seq of seqs) yield message(seq);
    throw new Error('consumer deleted');
  }
  const run = (messages: AsyncGenerator<JsMsg>, info: Consumer['info'], backoff?: Backoff, handling = processor) => {
    const fetch = async () => Object.assign(messages, { close: async () => undefined }) as unknown as ConsumerMessages;
    const limits = { most: 50, ackWaitMs: 30_000, stopping: stopping.signal };
    return new OrderedBatches(handling, { fetch, info }, limits, log, backoff).run();
  };
  const unacked = (num_ack_pending: number) => async () =>
    ({ num_ack_pending, num_waiting: 0, ack_floor: { stream_seq: 0 }, delivered: { stream_seq: 9 } }) as Awaited<
      ReturnType<Consumer['info']>
    >;

  it('are handled when they are complete, even when the pull then fails', async () => {
    await expect(run(lost(1, 2), unacked(2))).rejects.toThrow('consumer deleted');

    expect([handled, handedBack]).toEqual([[1, 2], []]);
  });

  it.each([
    ['somebody else has some of them', unacked(3)],
    ['nobody says what is unacked', () => Promise.reject(new Error('consumer not found'))],
  ])('are handed back when the pull fails and %s', async (_, info) => {
    await expect(run(lost(1, 2), info)).rejects.toThrow('consumer deleted');

    expect([handled, handedBack]).toEqual([[], [1, 2]]);
  });

  it('are checked with the server again as soon as the missing messages arrive, and not before', async () => {
    let requests = 0;
    const info = () => (requests++, unacked(3)());
    async function* late() {
      yield message(1);
      await poll(() => (requests > 0 ? true : undefined), { everyMs: 1, withinMs: 60_000 });
      yield message(2);
      yield message(3);
      await once(stopping.signal, 'abort');
    }
    // With its pauses alone, the consumer would ask again only after an hour.
    const running = run(late(), info as Consumer['info'], { firstMs: 86_400_000, longestMs: 86_400_000 });
    await poll(() => (handled.length === 3 ? true : undefined), { everyMs: 1, withinMs: 60_000 });
    stopping.abort();
    await running;

    expect(handled).toEqual([1, 2, 3]);
    expect(requests).toBe(2);
  });

  it('log once that the server does not report unacknowledged messages, and once when it does again', async () => {
    const all = unacked(2);
    let requests = 0;
    const answers = async () => {
      if (++requests <= 50) throw new Error('timeout');
      return all();
    };
    async function* endless() {
      yield message(1);
      yield message(2);
      await once(stopping.signal, 'abort');
    }
    const running = run(endless(), answers as Consumer['info']);
    await poll(() => (handled.length === 2 ? true : undefined), { everyMs: 5, withinMs: 60_000 });
    stopping.abort();
    await running;

    expect(said).toEqual([
      expect.stringMatching(/^the server does not say what is unacked: events wait until it does .*"messaging.consumer.group.name":"test"/),
      'the server says again what is unacked: events are handled',
    ]);
  });

  it('no longer count as pending when a part is done and a replica acknowledged the rest', async () => {
    const pending = new PendingMessages();
    const halfway = {
      ...processor,
      processTogether: async (some: readonly JsMsg[]) => {
        for (const each of some) pending.add(each, Infinity);
        handled.push(some[0]!.seq);
        pending.done(some[0]!);
        return some.slice(0, 1);
      },
      ackedElsewhere: (acked: JsMsg) => pending.done(acked),
    };
    const info = async () => {
      const isLeft = handled.length === 0;
      return { ...(await unacked(isLeft ? 2 : 0)()), ack_floor: { stream_seq: isLeft ? 0 : 2, consumer_seq: 0 } };
    };
    async function* endless() {
      yield message(1);
      yield message(2);
      await once(stopping.signal, 'abort');
    }

    const running = run(endless(), info as Consumer['info'], undefined, halfway);

    await poll(() => (handled.length === 1 && pending.oldestMs === 0 ? true : undefined), { everyMs: 5, withinMs: 60_000 });
    stopping.abort();
    await running;
    expect([handled, handedBack, pending.oldestMs]).toEqual([[1], [], 0]);
  });
});
