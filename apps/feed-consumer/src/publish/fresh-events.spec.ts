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

describe('events that were stored a moment ago', () => {
  let now = 0;
  let fresh: FreshEvents;
  beforeEach(() => {
    now = 0;
    fresh = new FreshEvents({ most: 3, bytes: 10_000, everyMs: 250 }, () => now);
    fresh.looked();
  });
  const adds = (events: readonly Waiting[], areFirst = true) => fresh.add({ events, areFirst });
  const taken = (isOurs = anyone as (one: Waiting) => boolean) => fresh.take(isOurs).map(({ seq }) => seq);

  it('are taken once, in their order, and the spool need not be looked at before its time', () => {
    adds([event('1'), event('2')]);
    now = 100;

    expect([taken(), taken()]).toEqual([['1', '2'], []]);
    expect(fresh.nextLookMs).toBe(150);
  });

  it.each([
    ['something older of their service waits', () => adds([event('1')], false)],
    ['there are too many of them', () => adds(['1', '2', '3', '4'].map((seq) => event(seq)))],
    ['they are too long', () => adds([event('1', { body: Buffer.alloc(10_001) })])],
    ['they were sent again', () => fresh.lookFor()],
  ])('are looked for in the spool where %s', (_, stored) => {
    stored();

    expect(taken()).toEqual([]);
    expect(fresh.nextLookMs).toBe(0);
  });

  it('leave out what could not be read, and what another replica publishes', () => {
    adds([event('1', { event: null }), event('2', { shard: 3 }), event('3', { shard: 4 })]);

    expect(taken(({ shard }) => shard === 4)).toEqual(['3']);
    expect(taken()).toEqual([]);
  });

  it('give way every other time, when it is time to look for those of others', () => {
    adds([event('1')], false);
    adds([event('2')]);
    expect(taken()).toEqual(['2']);
    adds([event('3')]);

    expect(taken()).toEqual([]);

    fresh.looked();
    adds([event('4')]);
    expect(taken()).toEqual(['4']);
  });

  it('are left to a look after a while: another replica may have published them', () => {
    adds([event('1')]);
    now = 251;

    expect(taken()).toEqual([]);
  });

  it('are not taken where a look has found them', () => {
    adds([event('1'), event('2')]);

    fresh.published([event('1')]);

    expect(taken()).toEqual(['2']);
  });
});
