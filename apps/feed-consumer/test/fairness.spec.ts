import { FEED } from '@codase/contracts';
import { one, sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { PlayedGateway } from './played-gateway.ts';

const FLOODS = 10;
const BATCH = 500;

describe('a service with a flood of events', () => {
  let world: World;
  let gateway: PlayedGateway;
  let db: DataSource | undefined;
  beforeEach(async () => {
    world = await World.open({ units: [], channels: { shop: { mode: 'pull' }, club: { mode: 'pull' } } });
    gateway = await PlayedGateway.open(world);
    gateway.flooding = 'shop';
  });
  afterEach(async () => {
    db = undefined;
    await world?.close();
  });

  const waiting = async () => {
    db ??= await world.opensDatabase('feed_consumer');
    return (await one<{ n: number }>(db, sql`select count(*)::int as n from waiting`))!.n;
  };

  const firstOfClub = async () => {
    const { streams } = await gateway.bus.manager();
    const first = { seq: 1, next_by_subj: 'codase.feed.v1.club.>' };
    return (await streams.getMessage(FEED.stream!, first).catch(() => undefined)) ?? undefined;
  };

  it('is drained continuously, and so are the other services', async () => {
    gateway.perDrain = 20;
    await world.starts('feed-consumer');
    await gateway.streamed(20);
    const event = gateway.writes('usr_1');

    const found = await eventually(firstOfClub);

    expect(found.header.get('ce-id')).toBe(event.id);
  });

  it('does not delay the few events of another service behind its thousands', async () => {
    const { streams } = await gateway.bus.manager();
    const { config } = await streams.info(FEED.stream!);
    await streams.update(FEED.stream!, { ...config, max_bytes: 1 });
    gateway.floods = FLOODS;
    await world.starts('feed-consumer');
    await eventually(async () => ((await waiting()) === FLOODS * BATCH ? true : undefined));
    const event = gateway.writes('usr_1');
    await eventually(async () => ((await waiting()) > FLOODS * BATCH ? true : undefined));

    await streams.update(FEED.stream!, config);

    await eventually(async () => ((await waiting()) === 0 ? true : undefined));
    const found = await eventually(firstOfClub);
    expect(found.header.get('ce-id')).toBe(event.id);
    expect(found.seq).toBeLessThan(3);
  });
});
