import { request } from 'node:http';
import { approvals, feed, OPERATOR, services, twofa, type FeedEvent, type Request } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { eventually, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { refused } from '../connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';

describe('challenges @spec D1-3.1 @spec D1-4.5 @spec D1-2.10', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 2 });
  });
  afterAll(() => world?.close());

  /** Signs up a person of the same or another region, who is connected to the shop and enrolled. */
  const enrolled = async (region: 'eu' | 'us' = 'eu'): Promise<Person & { connection: OwnConnection }> => {
    const person = await world.signsUp({ type: 'person', region });
    const connection = await person.connections.connects('ACME/SHOP');
    await person.phone.enrols(shop);
    return Object.assign(person, { connection });
  };
  /** Lets time pass, and gets new tokens for those that end meanwhile. */
  const daysPass = async (duration: Parameters<World['passes']>[0], ...persons: Person[]) => {
    await world.passes(duration);
    await Promise.all([shop.getsToken(), ...persons.map((person) => person.signsIn())]);
  };
  const matchesNumbers = (number_matching: boolean) =>
    world.automation.asks(services.changeNumberMatching, { params: { serviceId: shop.service_id! }, body: { number_matching } });
  const setMode = async (writes_paused: boolean) =>
    (await world.operator('platform')).request(OPERATOR.setMode, {}, { region: 'eu', writes_paused });
  const rowOf = ({ challenge_id }: { challenge_id: string }) =>
    one<Record<string, unknown>>(db, sql`select * from challenge where challenge_id = ${challenge_id}`);
  const eventsOf = async ({ challenge_id }: { challenge_id: string }): Promise<FeedEvent[]> => {
    const rows = await many<{ body: FeedEvent }>(
      db,
      sql`select body from feed_event where channel = ${shop.service_id} and body ->> 'challenge_id' = ${challenge_id}`,
    );
    return rows.map(({ body }) => body);
  };
  const settled = async <T>(calls: readonly Promise<T>[]) => {
    const ends = await Promise.allSettled(calls);
    return {
      done: ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
      keys: ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as { key: string }).key] : [])),
    };
  };

  describe.each(['eu', 'us'] as const)('with a person at home in %s', (region) => {
    let ana: Person;
    beforeAll(async () => {
      ana = await enrolled(region);
    });
    beforeEach(() => world.passes({ minutes: 1 }));

    it('are shown as a card, answered on the phone and delivered once', async () => {
      const raised = await shop.challenges.raises(ana, { context: 'Sign-in from Bern' });
      expect(raised).toEqual({ challenge_id: expect.any(String), status: 'pending', expires_at: expect.any(String) });
      expect(await shop.challenges.polls(raised)).toEqual({ status: 'pending', expires_at: raised.expires_at });

      const [card] = await ana.phone.cards();
      expect(card).toMatchObject({
        service_id: shop.service_id,
        service_name: 'Shop',
        context: 'Sign-in from Bern',
        number_matching: false,
      });
      const { status, completed_at } = await ana.phone.approves(card!);

      expect(status).toBe('approved');
      expect(await ana.phone.cards()).toEqual([]);
      expect(await shop.challenges.polls(raised)).toEqual({ status: 'approved', completed_at });
      await expect(shop.challenges.polls(raised)).rejects.toEqual(refused('twofa.result_consumed', 410));
      expect(await eventsOf(raised)).toEqual([
        {
          event: '2fa_challenge_completed',
          challenge_id: raised.challenge_id,
          person_user_id: ana.user_id,
          share_code: ana.share_code,
          status: 'approved',
          completed_at,
          at: completed_at,
        },
      ]);
    });

    it('put only the latest outcome of the person into the feed', async () => {
      const [before, latest] = [await shop.challenges.raises(ana), await shop.challenges.raises(ana)];
      await ana.phone.approves(before);
      const { completed_at } = await ana.phone.denies(latest);

      const drained: FeedEvent[] = [];
      for (let isMore = true; isMore;) {
        const { events, more } = await shop.asks(feed.drainChanges, { query: {} });
        drained.push(...events);
        isMore = more;
      }
      const outcome = { challenge_id: latest.challenge_id, status: 'denied', completed_at, at: completed_at };
      expect(drained.filter(({ event, person_user_id }) => event === '2fa_challenge_completed' && person_user_id === ana.user_id)).toEqual([
        { id: expect.any(String), event: '2fa_challenge_completed', person_user_id: ana.user_id, share_code: ana.share_code, ...outcome },
      ]);
    });

    it('are denied without unlocking the phone', async () => {
      const raised = await shop.challenges.raises(ana);

      expect((await ana.phone.denies(raised)).status).toBe('denied');
      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'denied' });
    });

    it('are shown on every device, approved only on an unlocked one, and then removed from all', async () => {
      const devices = [ana.phone.listens(), ana.phone.listens()];
      for (const device of devices) await device.hears('reset');
      const raised = await shop.challenges.raises(ana);
      const cards = await Promise.all(devices.map((device) => device.hears('challenge_raised')));
      expect(cards.map(({ data }) => data.challenge_id)).toEqual([raised.challenge_id, raised.challenge_id]);

      const locked = { params: { challengeId: raised.challenge_id }, body: {} as { gate: 'biometric' } };
      await expect(ana.asks(approvals.approveChallenge, locked)).rejects.toEqual(refused('request.invalid', 400));
      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'pending' });
      await ana.phone.approves(raised);

      const closed = await Promise.all(devices.map((device) => device.hears('challenge_closed')));
      expect(closed.map(({ data }) => data)).toEqual([{ challenge_id: raised.challenge_id }, { challenge_id: raised.challenge_id }]);
      for (const device of devices) await device.leaves();
    });

    it('count one answer of many concurrent ones', async () => {
      const raised = await shop.challenges.raises(ana);

      const tapped = Array.from({ length: 40 }, (_, nth) => (nth % 2 ? ana.phone.approves(raised) : ana.phone.denies(raised)));
      const { done, keys } = await settled<{ status: string }>(tapped);

      expect(done).toHaveLength(1);
      expect(new Set(keys)).toEqual(new Set(['twofa.challenge_closed']));
      expect((await shop.challenges.polls(raised)).status).toBe(done[0]!.status);
      expect(await eventsOf(raised)).toHaveLength(1);
    });

    it('are revoked when the person ends the enrolment, which the phone lists', async () => {
      expect(await ana.phone.enrolments()).toEqual([
        { service_id: shop.service_id, service_name: 'Shop', enrolled_at: expect.any(String) },
      ]);
      const raised = await shop.challenges.raises(ana);

      await ana.phone.revokes(shop.service_id!);

      expect(await ana.phone.enrolments()).toEqual([]);
      await expect(ana.phone.revokes(shop.service_id!)).rejects.toEqual(refused('twofa.not_enrolled', 404));
      await expect(ana.phone.approves(raised)).rejects.toEqual(refused('twofa.challenge_closed', 409));
      await expect(shop.challenges.raises(ana)).rejects.toEqual(refused('twofa.not_enrolled', 404));
      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'revoked' });
      expect(await eventsOf(raised)).toMatchObject([{ status: 'revoked' }]);

      await ana.phone.enrols(shop);
      await expect(shop.challenges.raises(ana)).resolves.toMatchObject({ status: 'pending' });
    });
  });

  describe('raising a challenge', () => {
    it('is refused for a person who is not enrolled', async () => {
      const ben = await world.signsUp({ type: 'person', region: 'eu' });
      await ben.connections.connects('ACME/SHOP');

      for (const share_code of [ben.share_code, 'NOBODY'])
        await expect(shop.challenges.raises({ share_code })).rejects.toEqual(refused('twofa.not_enrolled', 404));
    });

    it.each([
      ['no share code', { share_code: undefined }, 'twofa.share_code_required'],
      ['no key', { idempotency_key: undefined }, 'twofa.idempotency_key_required'],
      ['a context that is too long', { context: 'x'.repeat(257) }, 'twofa.context_too_long'],
      ['a context with a line break', { context: 'Sign-in\nApproved' }, 'request.invalid'],
    ] as const)('is refused with %s', async (_, wrong, key) => {
      const body = { share_code: 'ANA', idempotency_key: 'k', context: '', ...wrong } as Request<typeof twofa.raiseChallenge>['body'];

      await expect(shop.asks(twofa.raiseChallenge, { body })).rejects.toEqual(refused(key, 400));
    });

    it('creates one challenge for many concurrent calls with the same idempotency key', async () => {
      const ana = await enrolled();

      const { done, keys } = await settled(Array.from({ length: 50 }, () => shop.challenges.raises(ana, { key: 'once' })));

      expect(keys).toEqual([]);
      expect(new Set(done.map(({ challenge_id }) => challenge_id)).size).toBe(1);
      expect(await ana.phone.cards()).toHaveLength(1);
    });

    it('refuses an idempotency key with another body, and accepts it again after a day @gap D1-4.5', async () => {
      const [ana, ben] = [await enrolled(), await enrolled()];
      const raised = await shop.challenges.raises(ana, { key: 'k1', context: 'one' });

      for (const other of [
        shop.challenges.raises(ana, { key: 'k1', context: 'two' }),
        shop.challenges.raises(ben, { key: 'k1', context: 'one' }),
      ])
        await expect(other).rejects.toEqual(refused('twofa.idempotency_conflict', 409));

      await ana.phone.approves(raised);
      expect(await shop.challenges.raises(ana, { key: 'k1', context: 'one' })).toEqual({ ...raised, status: 'pending' });
      await daysPass({ hours: 24 });
      expect((await shop.challenges.raises(ana, { key: 'k1', context: 'two' })).challenge_id).not.toBe(raised.challenge_id);
    });

    it('never exceeds the limit of pending challenges, also under concurrency @gap D1-8', async () => {
      const ana = await enrolled();

      const { done, keys } = await settled(Array.from({ length: 50 }, () => shop.challenges.raises(ana)));

      expect(done).toHaveLength(3);
      expect(new Set(keys)).toEqual(new Set(['twofa.too_many_pending']));
      expect(await ana.phone.cards()).toHaveLength(3);
    });

    it('is rate-limited, with a Retry-After @gap D1-8', async () => {
      const ana = await enrolled();
      for (let nth = 0; nth < 5; nth++) await ana.phone.denies(await shop.challenges.raises(ana));

      await expect(shop.challenges.raises(ana)).rejects.toMatchObject({ key: 'twofa.rate_limited', status: 429, retryAfter: 60 });
      await world.passes({ minutes: 1 });
      await expect(shop.challenges.raises(ana)).resolves.toBeDefined();
    });

    it('is refused while writes are paused, and outcomes are not consumed then @spec D1-7', async () => {
      const ana = await enrolled();
      const raised = await shop.challenges.raises(ana);
      await ana.phone.approves(raised);
      await setMode(true);
      try {
        await eventually(() =>
          shop.challenges.raises(ana).then(
            () => undefined,
            (error: { key: string }) => error.key === 'db.writes_paused' || undefined,
          ),
        );
        await expect(shop.challenges.polls(raised)).rejects.toEqual(refused('twofa.unavailable', 503));
      } finally {
        await setMode(false);
      }

      const outcome = await eventually(() => shop.challenges.polls(raised).catch(() => undefined));
      expect(outcome).toMatchObject({ status: 'approved' });
    });
  });

  describe('a challenge with number matching', () => {
    let ana: Person;
    beforeAll(async () => {
      await matchesNumbers(true);
      ana = await enrolled();
    });
    afterAll(() => matchesNumbers(false));
    beforeEach(() => world.passes({ minutes: 1 }));
    const other = (digits: string) => (digits === '42' ? '24' : '42');

    it('is approved with the digits of the login page, which the phone is never sent', async () => {
      const raised = await shop.challenges.raises(ana, { key: 'digits' });
      expect(raised.matching_digits).toMatch(/^\d\d$/);
      expect(await shop.challenges.raises(ana, { key: 'digits' })).toEqual(raised);
      const [card] = await ana.phone.cards();
      expect(card).toMatchObject({ number_matching: true });
      expect(Object.keys(card!)).not.toContain('matching_digits');

      await expect(ana.phone.approves(raised)).rejects.toEqual(refused('request.invalid', 400));
      expect((await ana.phone.approves(raised, { digits: raised.matching_digits })).status).toBe('approved');
      expect(Object.keys(await shop.challenges.raises(ana, { key: 'digits' }))).not.toContain('matching_digits');
    });

    it('is denied by one wrong entry, and takes no second one', async () => {
      const raised = await shop.challenges.raises(ana);

      expect((await ana.phone.approves(raised, { digits: other(raised.matching_digits!) })).status).toBe('denied');
      await expect(ana.phone.approves(raised, { digits: raised.matching_digits })).rejects.toEqual(refused('twofa.challenge_closed', 409));
      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'denied' });
    });
  });

  describe('the end of a challenge', () => {
    it('happens after five minutes without an event, and deletes its context and digits', async () => {
      const ana = await enrolled();
      const [read, left] = [await shop.challenges.raises(ana), await shop.challenges.raises(ana, { context: 'never read' })];
      await world.passes({ seconds: 300 });

      expect(await ana.phone.cards()).toEqual([]);
      await expect(ana.phone.approves(read)).rejects.toEqual(refused('twofa.challenge_closed', 409));
      expect(await shop.challenges.polls(read)).toEqual({ status: 'expired', completed_at: read.expires_at });
      await eventually(async () => (await rowOf(left))?.['status'] === 'expired' || undefined);
      for (const challenge of [read, left]) {
        expect(await rowOf(challenge)).toMatchObject({ status: 'expired', context: null, digits: null });
        expect(await eventsOf(challenge)).toEqual([]);
      }
    });

    it('happens by revocation when the connection ends', async () => {
      const ana = await enrolled();
      const raised = await shop.challenges.raises(ana);

      await ana.connections.disconnects(ana.connection);

      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'revoked' });
      expect(await eventsOf(raised)).toMatchObject([{ status: 'revoked' }]);
      expect(await ana.phone.enrolments()).toEqual([]);
    });

    it('leaves an unread outcome readable for a day @gap D1-3.1', async () => {
      const ana = await enrolled();
      const [early, late] = [await shop.challenges.raises(ana), await shop.challenges.raises(ana)];
      await ana.phone.approves(early);
      await ana.phone.approves(late);

      await daysPass({ hours: 23, minutes: 59 });
      expect(await shop.challenges.polls(early)).toMatchObject({ status: 'approved' });
      await world.passes({ minutes: 1 });
      for (const challenge of [early, late])
        await expect(shop.challenges.polls(challenge)).rejects.toEqual(refused('twofa.challenge_not_found', 404));
    });
  });

  describe('reading the outcome of a challenge', () => {
    const approved = async () => {
      const ana = await enrolled();
      const raised = await shop.challenges.raises(ana);
      await ana.phone.approves(raised);
      return raised;
    };

    /** Locks the row of a challenge. Returns the function that unlocks it. */
    const holds = async ({ challenge_id }: { challenge_id: string }) => {
      const runner = db.createQueryRunner();
      await runner.connect();
      await runner.startTransaction();
      await runner.query(`select from challenge where challenge_id = $1 for update`, [challenge_id]);
      return async () => {
        await runner.commitTransaction();
        await runner.release();
      };
    };
    /** Waits until at least `least` transactions wait for a row. */
    const waiting = (least: number) => eventually(async () => (await lockWaits(db)) >= least || undefined);

    it('succeeds for only one of fifty concurrent first reads', async () => {
      const raised = await approved();
      const letGo = await holds(raised); // so that several polls wait for the row before one has read it

      const polls = settled(Array.from({ length: 50 }, () => shop.challenges.polls(raised)));
      await waiting(3);
      await letGo();
      const { done, keys } = await polls;

      expect(done).toEqual([expect.objectContaining({ status: 'approved' })]);
      expect(keys).toHaveLength(49);
      expect(keys.filter((key) => !['twofa.result_consumed', 'twofa.unavailable'].includes(key))).toEqual([]);
      await expect(shop.challenges.polls(raised)).rejects.toEqual(refused('twofa.result_consumed', 410));
    });

    it('does not consume the outcome when the caller disconnects before the answer', async () => {
      const raised = await approved();
      const { access_token, api_url } = await shop.getsToken();
      const path = twofa.pollChallenge.path.replace('{challenge_id}', raised.challenge_id);
      const letGo = await holds(raised);

      const pending = request(`${api_url}${path}`, { headers: { authorization: `Bearer ${access_token}` }, agent: false });
      pending.on('error', () => undefined).end();
      await waiting(1);
      pending.destroy();
      await new Promise((closed) => pending.once('close', closed));
      await letGo();

      expect(await eventually(() => shop.challenges.polls(raised).catch(() => undefined))).toMatchObject({ status: 'approved' });
    });

    it('is refused to a service that did not raise the challenge', async () => {
      const raised = await approved();

      await expect(world.boltShop.challenges.polls(raised)).rejects.toEqual(refused('twofa.challenge_not_found', 404));
      expect(await shop.challenges.polls(raised)).toMatchObject({ status: 'approved' });
    });

    it('is limited to sixty times a minute per challenge @gap D1-8', async () => {
      const ana = await enrolled();
      const raised = await shop.challenges.raises(ana);
      const bucket = `challenge_poll ${raised.challenge_id}`;
      await execute(db, sql`insert into rate_bucket (key, tokens, at) values (${bucket}, -1000000, now() + interval '1 year')`);

      await expect(shop.challenges.polls(raised)).rejects.toMatchObject({ key: 'twofa.rate_limited', status: 429 });
    });
  });

  it('answering a challenge is refused to another person, as not found', async () => {
    const [ana, ben] = [await enrolled(), await enrolled('us')];
    const raised = await shop.challenges.raises(ana);

    expect(await ben.phone.cards()).toEqual([]);
    for (const answer of [ben.phone.approves(raised), ben.phone.denies(raised)])
      await expect(answer).rejects.toEqual(refused('twofa.challenge_not_found', 404));
    await expect(
      ana.asks(approvals.approveChallenge, { params: { challengeId: 'chal_none' }, body: { gate: 'passcode' } }),
    ).rejects.toEqual(refused('twofa.challenge_not_found', 404));
  });
});
