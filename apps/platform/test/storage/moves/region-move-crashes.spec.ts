import { execute, sql, type Sql } from '@codase/runtime/db';
import { eventually } from '@codase/testing';
import { HOME_LOCK } from '../../../src/foundation/regions/home-lock.store.ts';
import { DELIVERY_LEASES, SHARD_NAMES } from '../../../src/services/webhooks/delivery/shards.ts';
import { EMPTY } from '../../support/platform-internals.ts';
import type { LockKind } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';

type Victim = 'front-door' | 'region-eu' | 'region-us';

interface Needed {
  database: 'front_door' | 'region_eu' | 'region_us';
  kind: LockKind;
  lock(user_id: string): Sql;
}

/** The lock that each step needs: holding it keeps the step from being done. */
const NEEDED = {
  pausing: {
    database: 'region_eu',
    kind: 'advisory',
    lock: (user_id) => sql`select pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(${user_id}))`,
  },
  copying: { database: 'region_eu', kind: 'relation', lock: () => sql`lock table contact_field in access exclusive mode` },
  flipping: { database: 'front_door', kind: 'relation', lock: () => sql`lock table client in share mode` },
  leaving: {
    database: 'region_eu',
    kind: 'transactionid',
    lock: (user_id) => sql`select from service where company_user_id = ${user_id} for share`,
  },
  arriving: {
    database: 'region_us',
    kind: 'transactionid',
    lock: (user_id) => sql`select from profile where user_id = ${user_id} for share`,
  },
} satisfies Record<string, Needed>;
type Kind = keyof typeof NEEDED;

describe('a region move that is hit by a crash @spec D1-5.6 @gap D1-5.6', () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open({ processes: 'many' });
  });
  afterAll(() => moving?.close());

  /** Signs up a company with enough data to hand over and to remove in two batches. Returns it with what its region holds of it. */
  const newCompany = async () => {
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Before');
    await moving.internals.logs('region_eu', company.user_id, id, { entries: 1200, length: 75 });
    return { company, user_id: company.user_id, before: await moving.internals.holdings('eu', company.user_id) };
  };

  type Moved = Awaited<ReturnType<typeof newCompany>>;
  /** Moves the company until the step has begun and waits for its lock. Returns the function that lets it go on. */
  const standsAt = async (step: Kind, { company, user_id }: Moved) => {
    const { internals } = moving;
    const { database, lock, kind } = NEEDED[step];
    // The new region needs the same row when its copy is complete and when it opens: the step before keeps it from opening until then.
    const isArriving = step === 'arriving';
    const before = isArriving ? NEEDED.leaving : NEEDED[step];
    let letGo = await internals.hold(before.database, before.lock(user_id));
    await moving.moves(company, 'us');
    if (isArriving) {
      await eventually(async () => (await internals.homesOf(user_id)).us === 'leaving' || undefined);
      const letLeave = letGo;
      letGo = await internals.hold(database, lock(user_id));
      await letLeave();
    }
    await internals.reaches(user_id, step);
    await internals.someoneWaits(database, kind);
    return letGo;
  };

  // One crash hits the moves of several companies, each at another step. Steps from which a move may return come last, because they wait
  // the least.
  it.each<[string, Victim, Kind[]]>([
    ['arriving, flipping and copying', 'front-door', ['arriving', 'flipping', 'copying']],
    ['leaving and pausing', 'front-door', ['leaving', 'pausing']],
    ['leaving and pausing', 'region-eu', ['leaving', 'pausing']],
    ['copying', 'region-eu', ['copying']],
    ['arriving and copying', 'region-us', ['arriving', 'copying']],
  ])('resumes at %s after %s is killed, and loses no data', async (_, victim, steps) => {
    const { world, internals } = moving;
    const struck: (Moved & { step: Kind })[] = [];
    for (const step of steps) struck.push({ ...(await newCompany()), step });
    const letGo: (() => Promise<void>)[] = [];
    for (const one of struck) letGo.push(await standsAt(one.step, one));
    for (const { step } of struck) await internals.someoneWaits(NEEDED[step].database, NEEDED[step].kind);
    expect(await Promise.all(struck.map(({ user_id }) => internals.stepOf(user_id)))).toEqual(steps);

    // A front door that fails to reach a region too often gives up, which is another test. So it is frozen until the region is back.
    const waits = victim !== 'front-door';
    if (waits) world.freeze('front-door');
    await world.kill(victim);
    for (const goesOn of letGo) await goesOn();
    await world.restart(victim);
    if (waits) world.thaw('front-door');

    for (const { company, user_id, before } of struck) {
      await internals.reaches(user_id, undefined);
      expect(await internals.homesOf(user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
      expect(await internals.holdings('us', user_id)).toEqual(before);
      for (const left of Object.values(await internals.holdings('eu', user_id))) expect(left).toEqual(EMPTY);
      await moving.creates(company, 'After');
    }
  });

  it.each<Victim>(['front-door', 'region-eu'])(
    'resumes settling after %s is killed, and waits until no lost process can still deliver',
    async (victim) => {
      const { company, user_id } = await newCompany();
      const { world, internals } = moving;
      await moving.hook(company);
      const leases = (owner: string | null) =>
        execute(
          internals.database('region_eu'),
          sql`
          insert into lease (kind, name, owner, until) select ${DELIVERY_LEASES}, name, ${owner}, 'infinity'
            from unnest(${[...SHARD_NAMES]}::text[]) name
          on conflict (kind, name) do update set owner = excluded.owner, until = excluded.until`,
        );
      await leases('a process that is not heard of');
      await moving.moves(company, 'us');
      await internals.reaches(user_id, 'settling');
      await expect(moving.creates(company, 'Meanwhile')).rejects.toMatchObject({ key: 'db.writes_paused' });

      const waits = victim !== 'front-door';
      if (waits) world.freeze('front-door');
      await world.kill(victim);
      await world.restart(victim);
      if (waits) world.thaw('front-door');
      expect(await internals.stepOf(user_id)).toBe('settling');
      await leases(null);
      await internals.reaches(user_id, undefined);

      expect(await internals.homesOf(user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
      expect(await moving.servicesOf(company)).toEqual(['Before']);
    },
  );

  it('is cancelled when the new region is down, and the company can write again', async () => {
    const { company, user_id, before } = await newCompany();
    const { world, internals } = moving;
    await world.kill('region-us');
    await moving.moves(company, 'us');
    await internals.reaches(user_id, 'forgetting');

    expect(await internals.homesOf(user_id)).toEqual({ front_door: 'eu', eu: 'here', us: undefined });
    expect(await internals.holdings('eu', user_id)).toEqual(before);
    await moving.creates(company, 'Goes on');

    await world.comesBack('region-us');
    await internals.reaches(user_id, undefined);
    await moving.moves(company, 'us');
    await internals.reaches(user_id, undefined);
    expect(await internals.homesOf(user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
  });
});
