import { spooled } from '../spool/spooled-event.ts';
import type { Waiting } from '../spool/spool.store.ts';
import { FreshEvents } from './fresh-events.ts';

const AT = '2026-03-02T10:00:00Z';
const anyone = () => true;

function event(seq: string, more: Partial<Waiting> = {}): Waiting {
  const read = spooled({
    event: 'flow_completed',
    id: `evt_${seq}`,
    person_user_id: 'usr_1',
    share_code: null,
    at: AT,
    flow_run_id: 'run_1',
  });
  return { ...read, seq, service: 'shop', mark: null, received_at: new Date(AT), ...more };
}

describe('freshly stored events', () => {
  let now = 0;
  let fresh: FreshEvents;
  beforeEach(() => {
    now = 0;
    fresh = new FreshEvents({ most: 3, bytes: 10_000, everyMs: 250 }, () => now);
    fresh.startRead();
  });
  const adds = (events: readonly Waiting[], areFirst = true) => fresh.add({ events, areFirst });
  const taken = (isOurs = anyone as (one: Waiting) => boolean) => fresh.take(isOurs).map(({ seq }) => seq);

  it('are taken once, in order, before the next read of the spool is due', () => {
    adds([event('1'), event('2')]);
    now = 100;

    expect([taken(), taken()]).toEqual([['1', '2'], []]);
    expect(fresh.nextReadMs).toBe(150);
  });

  it.each([
    ['something older of their service waits', () => adds([event('1')], false)],
    ['there are too many of them', () => adds(['1', '2', '3', '4'].map((seq) => event(seq)))],
    ['they are too long', () => adds([event('1', { body: Buffer.alloc(10_001) })])],
    ['they were sent again', () => fresh.requestRead()],
  ])('are left to a read of the spool when %s', (_, stored) => {
    stored();

    expect(taken()).toEqual([]);
    expect(fresh.nextReadMs).toBe(0);
  });

  it('exclude events that cannot be read, and shards that another replica publishes', () => {
    adds([event('1', { event: null }), event('2', { shard: 3 }), event('3', { shard: 4 })]);

    expect(taken(({ shard }) => shard === 4)).toEqual(['3']);
    expect(taken()).toEqual([]);
  });

  it('are taken only every second time while a read of the spool is due', () => {
    adds([event('1')], false);
    adds([event('2')]);
    expect(taken()).toEqual(['2']);
    adds([event('3')]);

    expect(taken()).toEqual([]);

    fresh.startRead();
    adds([event('4')]);
    expect(taken()).toEqual(['4']);
  });

  it('expire after the interval between reads of the spool, because another replica may have published them', () => {
    adds([event('1')]);
    now = 251;

    expect(taken()).toEqual([]);
  });

  it('are not taken again after a read of the spool published them', () => {
    adds([event('1'), event('2')]);

    fresh.published([event('1')]);

    expect(taken()).toEqual(['2']);
  });
});
