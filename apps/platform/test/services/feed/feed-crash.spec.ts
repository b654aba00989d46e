import { setTimeout as pause } from 'node:timers/promises';
import { FeedWorld, runsOf } from './feed-world.ts';

const KILLS = 2;
const BATCH = 300;
const ATTEMPTS = 5;

describe('a region that is killed during a drain @spec D1-4.3', () => {
  let feed: FeedWorld;
  beforeAll(async () => {
    feed = await FeedWorld.open({ processes: ['region-eu'] });
  });
  afterAll(() => feed?.close());

  it('returns all events in flight afterwards, with the same ids in the same order', async () => {
    const waiting = await untilKilledInFlight();

    expect((await feed.drains()).events.map(({ id }) => id)).toEqual(waiting);
  });

  /**
   * Kills the region while an answer is under way, and returns the ids of its events. On a busy machine the connection may have taken all
   * of the answer before the kill. Then nothing was in flight, and it is tried again.
   */
  async function untilKilledInFlight(): Promise<string[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const waiting = await feed.muchHappens();
      const answer = await feed.beginsToDrain();
      await feed.world.restart('region-eu');
      answer.destroy(); // nobody reads the answer, so it would not notice that the server is gone
      if ((await feed.waiting()).length > 0) return waiting;
    }
    throw new Error(`no event was left after ${ATTEMPTS} kills`);
  }

  it('loses no event and repeats none out of order, also over several crashes', async () => {
    const seen: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await feed.happens(...feed.turns(BATCH, kill * BATCH));
      const drained = feed.drains().then(
        ({ events }) => void seen.push(...runsOf(events)),
        () => undefined,
      );
      await pause(3 + 5 * kill);
      await (kill === KILLS - 1 ? feed.world.comesBack('region-eu') : feed.world.restart('region-eu'));
      await drained;
    }
    seen.push(...runsOf(await feed.drainsAll()));

    expect([...new Set(seen)]).toEqual(Array.from({ length: KILLS * BATCH }, (_, i) => `run_${i}`));
  });
});
