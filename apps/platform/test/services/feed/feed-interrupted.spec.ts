import type { IncomingMessage } from 'node:http';
import { feed as feedEndpoints, type FeedEvent, type Refusal } from '@codase/contracts';
import { execute, sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import { FeedWorld, runsOf } from './feed-world.ts';

describe('a slow or interrupted drain @spec D1-4.3', () => {
  let feed: FeedWorld;
  beforeAll(async () => {
    feed = await FeedWorld.open();
  });
  afterAll(() => feed?.close());
  afterEach(() => feed.drainsAll());

  const readsWhole = async (answer: IncomingMessage): Promise<FeedEvent[]> => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return (JSON.parse(Buffer.concat(chunks).toString()) as { events: FeedEvent[] }).events;
  };

  it('keeps all events when the connection is cut, with the same ids in the same order', async () => {
    const waiting = await feed.muchHappens();
    const answer = await feed.beginsToDrain();

    answer.destroy();

    expect((await feed.drains()).events.map(({ id }) => id)).toEqual(waiting);
  });

  it('deletes nothing for HEAD and OPTIONS requests', async () => {
    await feed.happens(...feed.turns(3));
    const waiting = await feed.waiting();
    const { access_token, api_url } = await feed.shop.getsToken();

    for (const method of ['HEAD', 'OPTIONS']) {
      await fetch(`${api_url}${feedEndpoints.drainChanges.path}`, { method, headers: { authorization: `Bearer ${access_token}` } });
    }

    expect(await feed.waiting()).toEqual(waiting);
  });

  it('deletes events only after the response was sent', async () => {
    const waiting = await feed.muchHappens();
    const answer = await feed.beginsToDrain();
    expect(await feed.waiting()).toEqual(waiting);

    expect((await readsWhole(answer)).map(({ id }) => id)).toEqual(waiting);

    await eventually(async () => (await feed.waiting()).length === 0 || undefined);
  });

  it('delays a concurrent drain, so that no event is returned twice or out of order', async () => {
    await feed.happens(...feed.turns(1200));

    const both = await Promise.all([feed.drains(), feed.drains()]);
    const rest = await feed.drains();

    const [first, second] = both.map(({ events }) => runsOf(events)).toSorted((a) => (a[0] === 'run_0' ? -1 : 1));
    expect([...first!, ...second!, ...runsOf(rest.events)]).toEqual(Array.from({ length: 1200 }, (_, i) => `run_${i}`));
  });

  it('makes further drains fail with 429 and Retry-After after a short wait @gap D1-4.3', async () => {
    await feed.muchHappens();
    const answer = await feed.beginsToDrain();

    const others = await Promise.allSettled([feed.drains(), feed.drains(), feed.drains()]);
    answer.destroy();

    for (const other of others)
      expect(other).toMatchObject({ status: 'rejected', reason: { key: 'rate_limit.exceeded', retryAfter: 1 } satisfies Partial<Refusal> });
  });

  it('is refused while the company is moving, so that no event is drained after the copy @spec D1-7', async () => {
    const isAt = (home: 'here' | 'leaving') =>
      execute(feed.db, sql`update profile set home = ${home} where user_id = ${feed.shop.company_user_id}`);
    await feed.happens(...feed.turns(1));

    await isAt('leaving');
    for (const query of [{}, { lease: 'new' }])
      await expect(feed.drains(query)).rejects.toMatchObject({ key: 'db.writes_paused', status: 503 });
    await isAt('here');

    expect(runsOf((await feed.drains()).events)).toEqual(['run_0']);
  });

  it('does not block new events', async () => {
    await feed.muchHappens();
    const answer = await feed.beginsToDrain();

    await feed.happens(...feed.turns(1));
    await readsWhole(answer);

    expect(runsOf((await feed.drains()).events)).toEqual(['run_0']);
  });
});
