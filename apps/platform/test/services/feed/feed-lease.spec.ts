import { DRAIN_EVENTS } from '@codase/contracts';
import { FeedWorld, runsOf } from './feed-world.ts';

describe('a drain by lease, beyond the specification @gap D1-4.3', () => {
  let feed: FeedWorld;
  beforeAll(async () => {
    feed = await FeedWorld.open();
  });
  afterAll(() => feed?.close());
  afterEach(() => feed.drainsAll());

  it('deletes its events when the next call acknowledges the lease', async () => {
    await feed.happens(...feed.turns(DRAIN_EVENTS + 2));

    const first = await feed.drains({ lease: 'new' });
    expect([first.events.length, first.more, (await feed.waiting()).length]).toEqual([DRAIN_EVENTS, true, DRAIN_EVENTS + 2]);
    const second = await feed.drains({ lease: first.lease! });
    expect(runsOf(second.events)).toEqual([`run_${DRAIN_EVENTS}`, `run_${DRAIN_EVENTS + 1}`]);

    expect(await feed.drains({ lease: second.lease! })).toEqual({ events: [], more: false, lease: 'new' });
    expect(await feed.waiting()).toEqual([]);
  });

  it('returns unacknowledged events again, with the same ids', async () => {
    await feed.happens(...feed.turns(2));
    const lost = await feed.drains({ lease: 'new' });

    const again = await feed.drains({ lease: 'new' });
    expect(again.events).toEqual(lost.events);

    await feed.drains({ lease: lost.lease! });
    expect(await feed.waiting()).toHaveLength(2);
    await feed.drains({ lease: again.lease! });
    expect(await feed.waiting()).toHaveLength(2);
  });

  it('acknowledges only the events that came with the lease, not newer ones', async () => {
    await feed.happens(...feed.turns(1));
    const { lease } = await feed.drains({ lease: 'new' });
    await feed.happens(...feed.turns(1, 1));

    expect(runsOf((await feed.drains({ lease: lease! })).events)).toEqual(['run_1']);
  });

  it('coexists with a plain drain, whose answer has no lease', async () => {
    await feed.happens(...feed.turns(1));
    const { lease } = await feed.drains({ lease: 'new' });

    const { events, ...rest } = await feed.drains();
    expect([runsOf(events), rest]).toEqual([['run_0'], { more: false }]);
    expect(await feed.drains({ lease: lease! })).toEqual({ events: [], more: false, lease: 'new' });
  });
});
