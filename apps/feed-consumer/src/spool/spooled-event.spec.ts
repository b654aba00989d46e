import { FEED_PARTITIONS, FeedEvent, ReceivedEvent } from '@codase/contracts';
import { shardOf, spooled, unreadable } from './spooled-event.ts';

const event = FeedEvent.parse({
  event: 'flow_completed',
  id: 'evt_1',
  person_user_id: 'usr_1',
  share_code: null,
  at: '2026-03-02T12:00:00+02:00',
  flow_run_id: 'run_1',
});

describe('stored event', () => {
  it('gets the same partition as all events of its person, and persons are spread over all partitions', () => {
    const shards = Array.from({ length: 500 }, (_, n) => shardOf(`usr_${n}`));

    expect(shardOf('usr_7')).toBe(shardOf('usr_7'));
    expect(new Set(shards).size).toBe(FEED_PARTITIONS);
  });

  it("has the event as its body, byte for byte as it is published, and the event's id @spec D1-4.3", () => {
    const { body, ...rest } = spooled(event);

    expect(JSON.parse(body.toString('utf8'))).toEqual(event);
    expect(rest).toEqual({
      message_id: 'evt_1',
      shard: shardOf('usr_1'),
      event_id: 'evt_1',
      event: 'flow_completed',
      state_key: null,
      at: new Date('2026-03-02T10:00:00Z'),
      traceparent: null,
    });
  });

  it('may be the outcome of a challenge, which names its person only by share code @spec D1-6.1 @gap D1-6.1', () => {
    const outcome = {
      event: '2fa_challenge_completed',
      challenge_id: 'chal_1',
      share_code: 'ANA',
      status: 'denied',
      completed_at: '2026-03-02T10:00:00Z',
    };
    const stored = spooled(ReceivedEvent.parse(outcome));

    expect(stored).toMatchObject({ message_id: 'chal_1', shard: shardOf('ANA'), at: new Date('2026-03-02T10:00:00Z') });
    expect(spooled(ReceivedEvent.parse({ ...outcome, share_code: null })).shard).toBe(shardOf('chal_1'));
  });

  it('has its original bytes when it cannot be read, and an id made of them', () => {
    const now = new Date();
    const [one, again, other] = ['<x/>', '<x/>', '<y/>'].map((text) => unreadable(Buffer.from(text), now));

    expect(one).toMatchObject({ event: null, body: Buffer.from('<x/>') });
    expect(one!.message_id).toBe(again!.message_id);
    expect(one!.message_id).not.toBe(other!.message_id);
  });
});
