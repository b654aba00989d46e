import { CHALLENGE_COMPLETED, RAISE_CHALLENGE, READ_CHALLENGE, type LoginStatus } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { PlayedPlatform } from './played-platform.ts';

describe('a twofa process that is killed', () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let operator: Bus;
  let db: DataSource;
  let keys = 0;
  beforeAll(async () => {
    world = await World.open({ processes: ['twofa'], units: [] });
    platform = await PlayedPlatform.open(world);
    shop = await world.busAs('shop-backend');
    operator = await world.operator('suite');
    await world.starts('twofa');
    db = await world.opensDatabase('twofa');
  });
  beforeEach(() => {
    platform.onRaise = platform.onPoll = platform.onConsumed = () => undefined;
  });
  afterAll(() => world?.close());

  const message = () => ({ share_code: 'ANA', idempotency_key: `login-${++keys}`, context: 'Sign-in from Berlin' });
  const raise = (pending: ReturnType<typeof message>) => shop.request(RAISE_CHALLENGE, { service: 'shop' }, pending, { timeout: 30_000 });
  const outcome = (challenge_id: string) =>
    eventually(async () => {
      const pending = shop.request(READ_CHALLENGE, { service: 'shop' }, { challenge_id, wait_seconds: 5 }, { timeout: 10_000 });
      const { status } = await pending.catch(() => ({ status: 'pending' as LoginStatus }));
      return status === 'pending' ? undefined : status;
    });
  /** Kills the process once, before the call goes on, and starts it again. */
  const diesOnce = () => {
    let back: Promise<void> | undefined;
    const die = async () => {
      if (back) return;
      back = world.kill('twofa').then(() => world.restart('twofa'));
      await back;
    };
    return { die, isBack: () => eventually(async () => back?.then(() => true)) };
  };

  it('raises only one challenge when the caller repeats the lost request with its key', async () => {
    const { die, isBack } = diesOnce();
    platform.onRaise = die;
    const [request, before] = [message(), platform.challenges.size];
    const first = raise(request).catch(() => undefined);
    await isBack();

    const { challenge_id } = await raise(request);

    expect(platform.challenges.size).toBe(before + 1);
    await platform.answers(challenge_id, 'approved');
    expect(await outcome(challenge_id)).toBe('approved');
    await Promise.race([first, Promise.resolve()]);
  });

  it('reports an outcome that it consumed and did not record as lost, counts it, and publishes it once @gap D1-3.1', async () => {
    const { challenge_id } = await raise(message());
    const { die, isBack } = diesOnce();
    platform.onConsumed = die;
    await platform.answers(challenge_id, 'approved');
    await isBack();

    expect(await outcome(challenge_id)).toBe('lost');
    const metrics = await (await fetch(`${world.opsUrl('twofa')}/metrics`)).text();
    expect(metrics).toMatch(/codase_twofa_consumed_without_record_total\{[^}]*} 1\b/);
    await eventually(async () => ((await streamed(challenge_id)) === 1 ? true : undefined));
  });

  it('deletes old logins after its restart, however many there are', async () => {
    await world.kill('twofa');
    await execute(
      db,
      sql`
      insert into challenge (service, asker, platform_key, body_digest, state, requested_at)
      select 'shop', 'old', 'old_' || nth, '', 'requested', '2020-01-01' from generate_series(1, 1200) as nth`,
    );

    await world.restart('twofa');

    await comesTrue(async () => expect(await many(db, sql`select from challenge where asker = 'old'`)).toEqual([]));
  });

  it('publishes after its restart what a restored bus lost, and nothing twice', async () => {
    const ends = async (status: 'approved' | 'denied') => {
      const request = message();
      const { challenge_id } = await eventually(() => raise(request).catch(() => undefined)); // repeated, because the bus was away
      await comesTrue(() => platform.answers(challenge_id, status));
      await outcome(challenge_id);
      await eventually(async () => ((await streamed(challenge_id)) === 1 ? true : undefined));
      return challenge_id;
    };
    const before = await ends('approved');
    const copy = await world.copiesBus();
    const since = [await ends('approved'), await ends('denied')];
    await world.kill('twofa');
    await world.restoresBus(copy);
    await comesTrue(async () => expect(await Promise.all([before, ...since].map(streamed))).toEqual([1, 0, 0]));

    await world.comesBack('twofa');

    await comesTrue(async () => expect(await Promise.all([before, ...since].map(streamed))).toEqual([1, 1, 1]));
  });

  /** How many outcomes of a challenge the stream has. */
  async function streamed(challenge_id: string): Promise<number> {
    const subject = `codase.challenge.v1.shop.${challenge_id}`;
    const { streams } = await operator.manager();
    return (await streams.info(CHALLENGE_COMPLETED.stream!, { subjects_filter: subject })).state.subjects?.[subject] ?? 0;
  }
});
