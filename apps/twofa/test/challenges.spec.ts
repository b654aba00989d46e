import { CHALLENGE_COMPLETED, challengeConsumer, RAISE_CHALLENGE, READ_CHALLENGE, Refusal, STATUS } from '@codase/contracts';
import { DurableConsumer, type Bus } from '@codase/runtime/bus';
import { execute, many, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { prepareChallenges } from '../src/operator/prepare.service.ts';
import { PlayedPlatform } from './played-platform.ts';

const { measured } = collectTelemetry();
const CONTEXT = 'Sign-in from Berlin, tattletale';
const DIGITS = '42';

describe("a login that needs a person's approval @spec D1-4.5", () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let desk: Bus;
  let operator: Bus;
  let db: DataSource;
  let passed = 0;
  let keys = 0;
  beforeAll(async () => {
    world = await World.open({ units: [], neighbours: [{ user: 'desk-backend', services: ['shop'] }] });
    const begun = Date.now();
    platform = await PlayedPlatform.open(world, () => new Date(begun + passed * 1000));
    [shop, desk, operator] = [await world.busAs('shop-backend'), await world.busAs('desk-backend'), await world.operator('suite')];
    await world.starts('twofa');
    db = await world.opensDatabase('twofa');
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    platform.onRaise = platform.onPoll = platform.onConsumed = () => undefined;
  });

  const passes = async (seconds: number) => {
    passed += seconds;
    await world.passes({ seconds });
  };
  const challengeOf = (change: object = {}) => ({ share_code: 'ANA', idempotency_key: `login-${++keys}`, context: CONTEXT, ...change });
  const raise = (message: object = challengeOf(), by = shop) =>
    by.request(RAISE_CHALLENGE, { service: 'shop' }, message as never, { timeout: 60_000 });
  const read = (challenge_id: string, { wait_seconds = 0, by = shop } = {}) =>
    by.request(READ_CHALLENGE, { service: 'shop' }, { challenge_id, wait_seconds }, { timeout: 60_000 });
  /** Reads the challenge until it has an outcome. */
  const outcome = (challenge_id: string) =>
    eventually(async () => {
      const login = await read(challenge_id, { wait_seconds: 20 });
      return login.status === 'pending' ? undefined : login;
    });
  const streamed = async (challenge_id: string) => {
    const manager = await operator.manager();
    const subject = `codase.challenge.v1.shop.${challenge_id}`;
    const found = await eventually(() =>
      manager.streams.getMessage(CHALLENGE_COMPLETED.stream!, { last_by_subj: subject }).then((one) => one ?? undefined),
    );
    const { state } = await manager.streams.info(CHALLENGE_COMPLETED.stream!, { subjects_filter: subject });
    return { ...found.json<object>(), messages: state.subjects![subject] };
  };
  const count = async (name: string) =>
    (await measured()).filter((one) => one.name === name).reduce((sum, { value }) => sum + (value as number), 0);

  it('is raised at once with the digits to show, and reports its outcome to readers and on its own subject', async () => {
    const raised = await raise();
    expect(raised).toMatchObject({ status: 'pending', matching_digits: DIGITS });
    expect(await read(raised.challenge_id)).toMatchObject({ status: 'pending', completed_at: null });

    const waiting = outcome(raised.challenge_id);
    await platform.answers(raised.challenge_id, 'approved');

    expect(await waiting).toMatchObject({ challenge_id: raised.challenge_id, status: 'approved' });
    expect(await read(raised.challenge_id)).toEqual(await waiting);
    expect(await streamed(raised.challenge_id)).toMatchObject({ status: 'approved', messages: 1 });
  });

  it("reports its outcome to the service that requested it, on that service's own consumer", async () => {
    const heard: string[] = [];
    const as = challengeConsumer('shop-backend');
    const hear = ({ challenge_id, status }: { challenge_id: string; status: string }) => void heard.push(`${challenge_id} ${status}`);
    const consumer = await DurableConsumer.start(shop, CHALLENGE_COMPLETED, { as, only: { service: 'shop' } }, hear, silentLog);
    const { challenge_id } = await raise();
    await platform.answers(challenge_id, 'denied');

    const found = await eventually(async () => heard.find((one) => one.startsWith(challenge_id)));
    await consumer.stop();
    expect(found).toBe(`${challenge_id} denied`);
  });

  it.each(['denied', 'revoked'] as const)('ends when it was %s', async (status) => {
    const { challenge_id } = await raise();
    await platform.answers(challenge_id, status);

    expect(await outcome(challenge_id)).toMatchObject({ status });
  });

  it('learns its outcome from a poll when no event arrives', async () => {
    const { challenge_id } = await raise();
    await platform.answers(challenge_id, 'approved', { withEvent: false });
    await passes(2);

    expect(await outcome(challenge_id)).toMatchObject({ status: 'approved' });
  });

  it('is approved only by a poll and never by an event @spec D1-3.1', async () => {
    const { challenge_id } = await raise();
    const polled = new Promise<void>((resolve) => (platform.onPoll = () => resolve()));
    await platform.tells(challenge_id, 'approved');
    await polled;

    expect(await read(challenge_id)).toMatchObject({ status: 'pending' });
    await platform.answers(challenge_id, 'denied', { withEvent: false });
    // The answer of the first poll may be stored only now. The next poll is due some seconds after that.
    const polledAgain = async () => (await passes(2), await read(challenge_id));
    const ended = await eventually(async () => [await polledAgain()].find(({ status }) => status !== 'pending'));
    expect(ended).toMatchObject({ status: 'denied' });
  });

  it('is lost when its outcome was consumed and not recorded, and is counted and published once @gap D1-3.1', async () => {
    const before = await count('codase.twofa.consumed_without_record');
    const { challenge_id } = await raise();
    platform.challenges.get(challenge_id)!.isConsumed = true;
    await platform.answers(challenge_id, 'approved');

    expect(await outcome(challenge_id)).toMatchObject({ status: 'lost' });
    expect(await streamed(challenge_id)).toMatchObject({ status: 'lost', messages: 1 });
    expect(await count('codase.twofa.consumed_without_record')).toBe(before + 1);
  });

  it('has its outcome recorded even if the database fails after the outcome was consumed', async () => {
    const { challenge_id } = await raise();
    const breaks = (answer: () => void) =>
      db.transaction(async (tx) => {
        await execute(tx, sql`select from challenge where challenge_id = ${challenge_id} for update`);
        answer();
        // Ends the connection that waits to record the outcome.
        const ended = sql`
          select pg_terminate_backend(pid) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
        await eventually(async () => ((await many(tx, ended)).length > 0 ? true : undefined));
      });
    let broken: Promise<void> | undefined;
    platform.onConsumed = () => new Promise<void>((answer) => (broken = breaks(answer)));
    await platform.answers(challenge_id, 'approved');

    const ended = await outcome(challenge_id);
    await broken;
    expect(ended).toMatchObject({ status: 'approved' });
  });

  it('fails when the platform no longer knows its challenge', async () => {
    const { challenge_id } = await raise();
    platform.challenges.delete(challenge_id);
    await platform.tells(challenge_id, 'revoked');

    expect(await outcome(challenge_id)).toMatchObject({ status: 'failed' });
  });

  it('is polled again while the platform cannot answer, which consumes nothing', async () => {
    const { challenge_id } = await raise();
    let failures = 0;
    platform.onPoll = () => {
      if (failures++ < 2) throw new Refusal(failures === 1 ? 'twofa.unavailable' : 'service.unavailable');
    };
    await platform.answers(challenge_id, 'approved');
    await eventually(async () => {
      await passes(1);
      return failures > 2 ? true : undefined;
    });

    expect(await outcome(challenge_id)).toMatchObject({ status: 'approved' });
  });

  it('expires when the platform reports it as expired', async () => {
    const { challenge_id } = await raise();
    await passes(301);

    expect(await outcome(challenge_id)).toMatchObject({ status: 'expired' });
  });

  it('expires by the clock when the platform cannot answer, and a late approval changes nothing @gap D1-3.1', async () => {
    const { challenge_id } = await raise();
    platform.onPoll = () => {
      throw new Refusal('service.unavailable');
    };
    await platform.answers(challenge_id, 'approved');
    await passes(316);
    // A poll that was under way while the clock moved sets the next poll by the time of its failure.
    const closed = await eventually(async () => {
      await passes(1);
      const login = await read(challenge_id);
      return login.status === 'pending' ? undefined : login;
    });

    expect(closed).toMatchObject({ status: 'expired' });
    platform.onPoll = () => undefined;
    await platform.tells(challenge_id, 'approved');
    expect(await streamed(challenge_id)).toMatchObject({ status: 'expired', messages: 1 });
  });

  describe('a login requested with an idempotency key', () => {
    it('is the same for a used key, with its digits while it is open and its outcome afterwards', async () => {
      const message = challengeOf();
      const first = await raise(message);
      expect(await raise(message)).toEqual(first);

      await platform.answers(first.challenge_id, 'denied');
      await outcome(first.challenge_id);

      expect(await raise(message)).toEqual({ challenge_id: first.challenge_id, status: 'denied', expires_at: first.expires_at });
    });

    it('is raised once for many concurrent requests', async () => {
      const [message, before] = [challengeOf(), platform.challenges.size];
      const all = await Promise.all(Array.from({ length: 50 }, () => raise(message)));

      expect(new Set(all.map(({ challenge_id }) => challenge_id)).size).toBe(1);
      expect(platform.challenges.size).toBe(before + 1);
    });

    it('is refused when the key was used with another body', async () => {
      const message = challengeOf();
      await raise(message);

      for (const change of [{ context: 'Sign-in from Graz' }, { share_code: 'BEN' }])
        await expect(raise({ ...message, ...change })).rejects.toMatchObject({ key: 'twofa.idempotency_conflict' });
    });

    it('is separate from that of another internal service with the same key, which cannot read it', async () => {
      const message = challengeOf();
      const [ours, theirs] = [await raise(message), await raise(message, desk)];

      expect(theirs.challenge_id).not.toBe(ours.challenge_id);
      await expect(read(ours.challenge_id, { by: desk })).rejects.toMatchObject({ key: 'twofa.challenge_not_found' });
    });

    it('is refused when the key belongs to an approval of long ago', async () => {
      const message = challengeOf();
      const { challenge_id } = await raise(message);
      await platform.answers(challenge_id, 'approved');
      await outcome(challenge_id);
      await passes(11 * 60);

      await expect(raise(message)).rejects.toMatchObject({ key: 'twofa.result_consumed' });
    });

    it('is requested from the platform again when the answer was lost, and raised only once', async () => {
      const [message, before] = [challengeOf(), platform.challenges.size];
      platform.onRaise = () => {
        platform.onRaise = () => undefined;
        throw new Refusal('service.unavailable');
      };

      expect(await raise(message)).toMatchObject({ status: 'pending' });
      expect(platform.challenges.size).toBe(before + 1);
    });

    it('can be requested again under a key that the platform refused', async () => {
      const message = challengeOf();
      platform.onRaise = () => {
        throw new Refusal('twofa.not_enrolled');
      };
      await expect(raise(message)).rejects.toMatchObject({ key: 'twofa.not_enrolled' });

      platform.onRaise = () => undefined;
      expect(await raise({ ...message, context: 'Sign-in from Graz' })).toMatchObject({ status: 'pending' });
    });
  });

  it.each([
    ['share_code', ''],
    ['idempotency_key', ''],
    ['context', 'x'.repeat(257)],
  ])('is refused without a request to the platform when its %s is invalid', async (member, text) => {
    const before = platform.raises;
    const refused = { key: 'request.invalid', message: expect.stringContaining(member) };
    await expect(raise(challengeOf({ [member]: text }))).rejects.toMatchObject(refused);
    expect(platform.raises).toBe(before);
  });

  it('is not found when it is unknown, and refused when it belongs to another service', async () => {
    await expect(read('chal_none')).rejects.toMatchObject({ key: 'twofa.challenge_not_found' });
    await expect(shop.request(READ_CHALLENGE, { service: 'desk' }, { challenge_id: 'chal_1' })).rejects.toMatchObject({
      key: 'auth.client_endpoint_forbidden',
    });
  });

  it('has its outcome even when the stream is missing, and readiness says what to do', async () => {
    const { streams } = await operator.manager();
    await streams.delete(CHALLENGE_COMPLETED.stream!);
    const { challenge_id } = await raise();
    await platform.answers(challenge_id, 'approved');
    expect(await outcome(challenge_id)).toMatchObject({ status: 'approved' });
    const says = (mend: RegExp) =>
      eventually(async () => {
        const { checks } = await operator.request(STATUS, { name: 'twofa' }, {});
        return mend.test(checks['outcomes']!) ? true : undefined;
      });
    await says(/^ok, but outcomes cannot be published: no stream takes codase\.challenge\.\S+: run prepare of the app that owns it/);

    await prepareChallenges(operator);
    expect(await streamed(challenge_id)).toMatchObject({ challenge_id, status: 'approved' });
    await says(/^ok$/);
  });

  it('leaves neither its context nor its digits in the database', async () => {
    const rows = await many(db, sql`select * from challenge`);
    expect(rows.length).toBeGreaterThan(10);
    expect(JSON.stringify(rows)).not.toMatch(/tattletale|ANA|login-\d/);
    for (const row of rows) expect(Object.values(row as object)).not.toContain(DIGITS);
  });
});
