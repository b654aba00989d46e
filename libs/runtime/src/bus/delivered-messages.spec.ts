import type { JsMsg } from '@nats-io/jetstream';
import { DeliveredMessages } from './delivered-messages.ts';

const message = (seq: number, deliverySequence: number) => ({ seq, info: { deliverySequence } }) as JsMsg;
const said = (num_ack_pending: number, consumer_seq: number) => ({ num_ack_pending, delivered: { consumer_seq } });
const places = (delivered: DeliveredMessages) => delivered.oldest(10).map(({ seq }) => seq);

describe('the messages that were delivered to a process', () => {
  let delivered: DeliveredMessages;
  beforeEach(() => {
    delivered = new DeliveredMessages();
  });

  it('are not known to be all at the start, until the server has as many', () => {
    delivered.add(message(7, 3));

    expect(delivered.isWhole).toBe(false);
    expect(delivered.compare(said(2, 3))).toBe(false);
    expect(delivered.compare(said(1, 3))).toBe(true);
  });

  it('stay all for as long as no delivery is missing', () => {
    delivered.compare(said(0, 3));
    delivered.add(message(7, 4));
    delivered.add(message(9, 5));
    expect(delivered.isWhole).toBe(true);

    delivered.add(message(12, 7));

    expect(delivered.isWhole).toBe(false);
  });

  it('are compared as of the moment of the answer: what came since counts if nothing is missing before it', () => {
    delivered.add(message(7, 4));
    delivered.add(message(9, 5));
    expect(delivered.compare(said(1, 4))).toBe(true);

    delivered.add(message(12, 8));
    expect(delivered.compare(said(2, 6))).toBe(false);
  });

  it('are handled by their place in the stream, however they came, and one that came again is there once', () => {
    delivered.add(message(9, 5));
    delivered.add(message(7, 6));
    delivered.add(message(9, 7));

    expect(places(delivered)).toEqual([7, 9]);
    expect(delivered.oldest(2)[1]!.info.deliverySequence).toBe(7);
    expect(delivered.compare(said(2, 7))).toBe(true);
  });

  it('are not all any more once they were given away', () => {
    delivered.compare(said(0, 3));
    delivered.add(message(7, 4));

    expect(delivered.release().map(({ seq }) => seq)).toEqual([7]);

    expect([delivered.size, delivered.isWhole]).toEqual([0, false]);
  });

  it('are waited for, until none come any more', async () => {
    const some = delivered.some();
    delivered.add(message(7, 4));
    expect(await some).toBe(true);

    delivered.release();
    const more = delivered.some();
    delivered.end();
    expect(await more).toBe(false);
  });
});
