import type { JsMsg } from '@nats-io/jetstream';
import { DeliveredMessages } from './delivered-messages.ts';

const message = (seq: number, delivery = 1) => ({ seq, info: { deliverySequence: delivery } }) as JsMsg;
const said = (num_ack_pending: number, { acked = 0, delivered = 100 } = {}) => ({
  num_ack_pending,
  ack_floor: { stream_seq: acked },
  delivered: { stream_seq: delivered },
});

describe('the messages that were delivered to a process', () => {
  let delivered: DeliveredMessages;
  const holds = (...seqs: number[]) => seqs.forEach((seq) => delivered.add(message(seq)));
  const allOf = (...answer: Parameters<typeof said>) => delivered.allOf(said(...answer))?.map(({ seq }) => seq);
  beforeEach(() => {
    delivered = new DeliveredMessages();
  });

  it('are handled where they are as many as the server waits for, by their place in the stream, however they came', () => {
    holds(9, 7);

    expect(allOf(3)).toBeUndefined();
    expect(allOf(2)).toEqual([7, 9]);
  });

  it('count once when they came again, by the later delivery', () => {
    delivered.add(message(9, 5));
    delivered.add(message(9, 7));

    expect(delivered.allOf(said(1))!.map(({ info }) => info.deliverySequence)).toEqual([7]);
  });

  it('are let go of when a replica has acked them', () => {
    holds(7, 9);

    expect(allOf(1, { acked: 7 })).toEqual([9]);
    expect(delivered.size).toBe(1);
  });

  it('do not count where the server does not know that it delivered them, and are kept', () => {
    holds(7, 9);

    expect(allOf(2, { delivered: 8 })).toBeUndefined();
    expect(allOf(1, { delivered: 8 })).toEqual([7]);
    expect(delivered.size).toBe(2);
  });

  it('are none where nothing is left', () => {
    holds(7);

    expect(allOf(0, { acked: 7 })).toBeUndefined();
    expect(delivered.size).toBe(0);
  });

  it('are told by whether they were here when that was last asked', () => {
    holds(9, 7);
    const held = () => delivered.heldSinceAsked().map(({ seq }) => seq);

    expect(held()).toEqual([]);
    holds(8);
    expect(held()).toEqual([7, 9]);
    expect(held()).toEqual([7, 8, 9]);
    delivered.release();
    holds(7);
    expect(held()).toEqual([]);
  });

  it('are given away, the oldest first', () => {
    holds(9, 7);

    expect(delivered.release().map(({ seq }) => seq)).toEqual([7, 9]);
    expect(delivered.size).toBe(0);
  });

  it('are waited for, until none come any more', async () => {
    const some = delivered.some();
    holds(7);
    expect(await some).toBe(true);

    delivered.release();
    const more = delivered.some();
    delivered.end();
    expect(await more).toBe(false);
  });

  it('are waited for until so many are here', async () => {
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
