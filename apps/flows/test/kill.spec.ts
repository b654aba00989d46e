import { ANSWER_TURN, START_RUN, TAKE_TURN } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { LEASE } from '../src/turns/lease-flow.check.ts';
import { ORDER } from '../src/turns/order-flow.check.ts';
import { COMPANY, PlayedPlatform } from './played-platform.ts';

const SHOP = { service: 'shop' };

describe('flows with kills and restarts', () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ processes: ['flows'], units: [] });
    platform = await PlayedPlatform.open(world);
    shop = await world.busAs('shop-backend');
    await world.starts('flows');
    db = await world.opensDatabase('flows');
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    platform.onAnswer = platform.onAnswered = platform.onStart = platform.onStarted = () => undefined;
    platform.generation.onGenerate = platform.generation.onGenerated = () => undefined;
    platform.definition = ORDER;
  });

  /** Kills the process once, before the call goes on, and starts it again. */
  const diesOnce = (start = () => world.restart('flows')) => {
    let back: Promise<void> | undefined;
    const die = async () => {
      if (back) return;
      back = world.kill('flows').then(start);
      await back;
    };
    return { die, isBack: () => eventually(async () => back?.then(() => true)) };
  };
  /** Ends the claims of the killed process, which would otherwise end by the database's clock. */
  const claimsEnd = () => execute(db, sql`update run set claimed_until = clock_timestamp(), held_until = clock_timestamp()`);
  const takes = (flow_run_id: string) =>
    eventually(async () => (await shop.request(TAKE_TURN, SHOP, { flow_run_id }, { timeout: 30_000 })).turn ?? undefined);
  const moved = (id: string) => eventually(async () => (platform.runs.get(id)!.status === 'awaiting_customer' ? true : undefined));

  it.each(['before', 'after'] as const)('submits a turn once when it was killed %s the platform accepted the answers', async (when) => {
    const { die, isBack } = diesOnce();
    if (when === 'before') platform.onAnswer = die;
    else platform.onAnswered = die;
    const id = await platform.run();
    await platform.tells(id);
    const { flow_run_id, hold } = await takes(id);
    const answered = shop
      .request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers: { price: 5 } }, { timeout: 5_000 })
      .catch(() => undefined);
    await isBack();
    await claimsEnd();

    await moved(id);
    await eventually(async () => ((await many(db, sql`select from run where state <> 'watched'`)).length === 0 ? true : undefined));
    const copies = platform.runs.get(id)!.answers.filter(({ slug, for_user_id }) => slug === 'price' && for_user_id === COMPANY);
    expect(copies).toHaveLength(1);
    expect(await platform.opened(id)).toMatchObject({ price: '5' });
    await answered;
  });

  it.each(['before', 'after'] as const)(
    'has the documents generated once when it was killed %s the platform generated them @spec D2-4.3',
    async (when) => {
      const { die, isBack } = diesOnce();
      const { generation } = platform;
      if (when === 'before') generation.onGenerate = die;
      else generation.onGenerated = die;
      platform.definition = LEASE;
      const id = await platform.run({ name: 'Ana', rent: '730' }, 'terms');
      platform.generatesAt(id, 'terms');
      await platform.tells(id);
      await isBack();
      await claimsEnd();

      const isWatched = async () => (await many(db, sql`select from run where flow_run_id = ${id} and state = 'watched'`)).length === 1;
      await eventually(async () => ((await isWatched()) ? true : undefined));
      expect(platform.runs.get(id)!.status).toBe('awaiting_signature');
      expect(generation.got.filter(({ run }) => run === id)).toHaveLength(1);
    },
  );

  it('offers a turn to the next taker when it was killed while the turn was taken', async () => {
    const id = await platform.run();
    await platform.tells(id);
    const before = await takes(id);
    await world.kill('flows');
    await world.restart('flows');
    await claimsEnd();

    const { flow_run_id, hold, attempts } = await takes(id);
    expect(hold).not.toBe(before.hold);
    expect(attempts).toBe(1);
    await shop.request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers: { price: 5 } }, { timeout: 30_000 });
    expect(platform.runs.get(id)!.status).toBe('awaiting_customer');
  });

  it('stops at once while a caller waits for a turn, and answers that caller', async () => {
    const take = (wait_seconds: number) => shop.request(TAKE_TURN, SHOP, { flow_id: 'flow_of_nobody', wait_seconds }, { timeout: 30_000 });
    const waiting = take(25);
    await take(0); // when this is answered, the service has the request before it too

    expect(await world.stop('flows')).toBe(0);
    expect(await waiting).toEqual({ turn: null });
  });

  it('deletes old runs and starts after a restart, however many there are', async () => {
    await world.kill('flows'); // unless the test before has stopped it
    await execute(
      db,
      sql`
      insert into run (service, flow_run_id, state, status, changed_at)
      select 'shop', 'old_' || nth, 'ended', 'completed', '2020-01-01' from generate_series(1, 1200) as nth`,
    );
    await execute(
      db,
      sql`
      insert into run_start (service, start_key, body_digest, requested_at)
      select 'shop', 'old_' || nth, '', '2020-01-01' from generate_series(1, 1200) as nth`,
    );

    await world.restart('flows');

    await comesTrue(async () => expect(await many(db, sql`select from run where state = 'ended'`)).toEqual([]));
    await comesTrue(async () => expect(await many(db, sql`select from run_start where start_key like 'old%'`)).toEqual([]));
  });

  it('plays each turn once together with a second replica', async () => {
    const other = await world.startsReplica('flows');
    const before = platform.submits;
    const ids = await Promise.all(Array.from({ length: 8 }, () => platform.run()));
    await Promise.all(ids.map((id) => platform.tells(id)));
    const play = async (): Promise<string[]> => {
      const { turn } = await shop.request(TAKE_TURN, SHOP, { flow_id: 'flow_order', wait_seconds: 3 }, { timeout: 30_000 });
      if (!turn) return [];
      const { flow_run_id, hold } = turn;
      await shop.request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers: { price: 5 } }, { timeout: 30_000 });
      return [flow_run_id, ...(await play())];
    };
    const played = (await Promise.all([play(), play(), play(), play()])).flat();
    await other.kill();

    expect(played.toSorted()).toEqual(ids.toSorted());
    expect(platform.submits).toBe(before + ids.length);
  });

  it('starts no second run when it was killed during a start and the caller repeats', async () => {
    const { die, isBack } = diesOnce(() => world.comesBack('flows')); // the last kill
    platform.onStarted = die;
    const request = { flow_id: 'flow_order', idempotency_key: 'order-1', targets: { customer: { connection_id: 'conn_ana' } } };
    const before = platform.started.length;
    const first = shop.request(START_RUN, SHOP, request, { timeout: 5_000 }).catch(() => undefined);
    await isBack();

    const { flow_run_id } = await shop.request(START_RUN, SHOP, request, { timeout: 30_000 });
    expect(platform.started).toHaveLength(before + 1);
    expect(platform.runs.get(flow_run_id)!.status).toBe('awaiting_customer');
    await first;
  });
});
