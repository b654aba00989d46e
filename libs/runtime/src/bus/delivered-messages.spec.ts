import type { JsMsg } from '@nats-io/jetstream';
import { DeliveredMessages } from './delivered-messages.ts';

const message = (seq: number, delivery = 1) => ({ seq, info: { deliverySequence: delivery } }) as JsMsg;
const said = (num_ack_pending: number, { acked = 0, delivered = 100 } = {}) => ({
  num_ack_pending,
  ack_floor: { stream_seq: acked },
  delivered: { stream_seq: delivered },
});

describe('the delivered messages of a process', () => {
  let delivered: DeliveredMessages;
  const holds = (...seqs: number[]) => seqs.forEach((seq) => delivered.add(message(seq)));
  const allOf = (...answer: Parameters<typeof said>) => delivered.allOf(said(...answer))?.map(({ seq }) => seq);
  beforeEach(() => {
    delivered = new DeliveredMessages();
  });

  it("are returned in stream order once their number equals the server's unacknowledged count", () => {
    holds(9, 7);

    expect(allOf(3)).toBeUndefined();
    expect(allOf(2)).toEqual([7, 9]);
  });

  it('count once after a redelivery, which replaces the earlier delivery', () => {
    delivered.add(message(9, 5));
    delivered.add(message(9, 7));

    expect(delivered.allOf(said(1))!.map(({ info }) => info.deliverySequence)).toEqual([7]);
  });

  it('are dropped when another replica has acknowledged them', () => {
    holds(7, 9);

    expect(allOf(1, { acked: 7 })).toEqual([9]);
    expect(delivered.size).toBe(1);
  });

  it("are kept but not counted beyond the server's delivered position", () => {
    holds(7, 9);

    expect(allOf(2, { delivered: 8 })).toBeUndefined();
    expect(allOf(1, { delivered: 8 })).toEqual([7]);
    expect(delivered.size).toBe(2);
  });

  it('are undefined when none is left', () => {
    holds(7);

    expect(allOf(0, { acked: 7 })).toBeUndefined();
    expect(delivered.size).toBe(0);
  });

  it('are listed as already present when they were present at the previous request', () => {
    holds(9, 7);
    const before = () => delivered.messagesSeenBefore().map(({ seq }) => seq);

    expect(before()).toEqual([]);
    holds(8);
    expect(before()).toEqual([7, 9]);
    expect(before()).toEqual([7, 8, 9]);
    delivered.release();
    holds(7);
    expect(before()).toEqual([]);
  });

  it('are released in stream order', () => {
    holds(9, 7);

    expect(delivered.release().map(({ seq }) => seq)).toEqual([7, 9]);
    expect(delivered.size).toBe(0);
  });

  it('can be awaited until one arrives or the delivery ends', async () => {
    const some = delivered.some();
    holds(7);
    expect(await some).toBe(true);

    delivered.release();
    const more = delivered.some();
    delivered.end();
    expect(await more).toBe(false);
  });

  it('can be awaited until a given number has arrived', async () => {
    let isHere = false;
    const here = delivered.atLeast(3).then(() => (isHere = true));
    holds(7, 8);
    await Promise.resolve();
    expect(isHere).toBe(false);

    holds(9);
    await here;
    await delivered.atLeast(2);
  });
});
