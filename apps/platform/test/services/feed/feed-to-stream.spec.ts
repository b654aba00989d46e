import { setTimeout as pause } from 'node:timers/promises';
import { FEED, type FeedEvent } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { one, sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import { FeedWorld, runsOf } from './feed-world.ts';

describe('the change feed from the platform to the stream @spec D1-4.3', () => {
  let feed: FeedWorld;
  afterEach(() => feed?.close());

  const streamed = async (bus: Bus, count: number) => {
    const manager = await bus.manager();
    const { first_seq, last_seq } = await eventually(async () => {
      const { state } = await manager.streams.info(FEED.stream!);
      return state.messages >= count ? state : undefined;
    });
    const events: FeedEvent[] = [];
    for (let seq = first_seq; seq <= last_seq; seq++)
      events.push((await manager.streams.getMessage(FEED.stream!, { seq }))!.json<FeedEvent>());
    return events;
  };

  it('carries events of the maximum length', async () => {
    feed = await FeedWorld.open({ units: ['front-door', 'region-eu', 'gateway', 'feed-consumer'] });
    await feed.happens(...Array.from({ length: 80 }, (_, i) => feed.message(i, 64 * 1024)));

    const events = await streamed(await feed.world.operator('suite'), 80);

    expect(events.map((event) => 'message_id' in event && event.message_id)).toEqual(Array.from({ length: 80 }, (_, i) => `msg_${i}`));
  });

  it('drains by lease, so that the platform keeps events until the suite has stored them @gap D1-4.3', async () => {
    feed = await FeedWorld.open({ units: ['front-door', 'region-eu', 'gateway', 'feed-consumer'] });
    const consumer = await feed.world.opensDatabase('feed_consumer');
    const holder = consumer.createQueryRunner();
    await holder.startTransaction();
    // Nothing can be stored. Reading is allowed, because a drain may first ask how much waits.
    await holder.query('lock table spool in exclusive mode');
    await feed.happens(...feed.turns(3));
    const waiting = await feed.waiting();

    await eventually(() => one(feed.db, sql`select from feed_lease where cardinality(seqs) = 3`));
    expect(await feed.waiting()).toEqual(waiting);

    await holder.rollbackTransaction();
    await consumer.destroy();
    expect(runsOf(await streamed(await feed.world.operator('suite'), 3))).toEqual(['run_0', 'run_1', 'run_2']);
    await eventually(async () => (await feed.waiting()).length === 0 || undefined);
  });

  it('loses, repeats and reorders no event when processes are killed', async () => {
    feed = await FeedWorld.open({
      processes: ['region-eu', 'gateway', 'feed-consumer'],
      units: ['front-door', 'region-eu', 'gateway', 'feed-consumer'],
    });
    const { world } = feed;
    let reported = 0;
    const happen = async () => {
      for (let batch = 0; batch < 10; batch++, reported += 10) await feed.happens(...feed.turns(10, reported));
    };

    const struck = ['feed-consumer', 'region-eu', 'feed-consumer', 'gateway'] as const;
    for (const [nth, unit] of struck.entries()) {
      const happening = happen();
      await pause(50 + Math.random() * 300);
      await (struck.indexOf(unit, nth + 1) < 0 ? world.comesBack(unit) : world.restart(unit));
      await happening;
    }

    const runs = runsOf(await streamed(await world.operator('suite'), reported));
    expect(runs).toEqual(Array.from({ length: reported }, (_, i) => `run_${i}`));
    expect(await eventually(async () => ((await feed.waiting()).length === 0 ? 'acknowledged' : undefined))).toBe('acknowledged');
  });
});
