import { setTimeout as pause } from 'node:timers/promises';
import { account, REGION } from '@cds/contracts';
import { systemClock } from '@cds/runtime/clock';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { silentLog } from '@cds/runtime/telemetry';
import { Audit } from '../src/audit/index.ts';
import { CompanyRows } from '../src/moves/company-rows.store.ts';
import { AccountsStore } from '../src/identity/index.ts';
import { MOVED_TABLES, STAYING_TABLES } from '../src/capabilities.ts';
import { MovesStore, reconcileMoves } from '../src/moves/moves.store.ts';
import { MovingWorld } from './moving-world.ts';
import { EMPTY } from './platform-internals.ts';

describe('the steps of a move @spec D1-5.6 @gap D1-5.6', () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open();
  });
  afterAll(() => moving?.close());

  const moved = async () => {
    const company = await moving.newCompany();
    await moving.creates(company, 'Club');
    await moving.moves(company, 'us');
    await moving.arrives(company);
    return company;
  };

  /** Reconciles the front door as after a restore of a copy in which the companies have not moved to us yet. */
  const restoresFrontDoor = async (...companies: { user_id: string }[]) => {
    const db = moving.internals.database('front_door');
    const regionOf = async (user_id: string) => (await new AccountsStore(db).find(user_id))?.region;
    const since = companies.map(({ user_id }) => ({ user_id, from_region: 'eu', to_region: 'us' }));
    await reconcileMoves(db, { moved: since, regionOf, now: moving.world.now });
  };

  it('do no harm when they come late', async () => {
    const { operator, internals } = moving;
    const company = await moved();
    const held = await internals.holdings('us', company.user_id);

    const late = { user_id: company.user_id, turn: 1 };
    for (const there of [{ region: 'eu' }, { region: 'us' }]) {
      const asked = [
        operator.request(REGION.beginLeaving, there, { ...late, to: 'eu' }),
        operator.request(REGION.settleLeaving, there, { ...late, to: 'eu' }),
        operator.request(REGION.handOver, there, { ...late, to: 'eu', from: null }),
        operator.request(REGION.finishLeaving, there, late),
        operator.request(REGION.stay, there, late),
        operator.request(REGION.beginArriving, there, late),
        operator.request(REGION.takeRows, there, { ...late, table: 'service', rows: '[]' }),
        operator.request(REGION.finishArriving, there, late),
        operator.request(REGION.forgetArrival, there, late),
      ];
      for (const step of await Promise.allSettled(asked)) {
        expect(step).toMatchObject({ reason: { key: 'account.moving', message: expect.stringContaining('comes late') } });
      }
    }

    expect(await internals.holdings('us', company.user_id)).toEqual(held);
    expect(await internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
    await moving.creates(company, 'Goes on');
  });

  it('are not taken where they do not fit', async () => {
    const company = await moving.newCompany();
    const next = { user_id: company.user_id, turn: 1_000_000 };
    const [eu, us] = [{ region: 'eu' }, { region: 'us' }];

    const asked = [
      moving.operator.request(REGION.settleLeaving, eu, { ...next, to: 'us' }),
      moving.operator.request(REGION.handOver, eu, { ...next, to: 'us', from: null }),
      moving.operator.request(REGION.finishLeaving, eu, next),
      moving.operator.request(REGION.beginArriving, eu, next),
      moving.operator.request(REGION.forgetArrival, eu, next),
      moving.operator.request(REGION.finishArriving, us, next),
    ];
    for (const step of await Promise.allSettled(asked)) expect(step).toMatchObject({ reason: { key: 'account.moving' } });
    const noSuchTable = moving.operator.request(REGION.takeRows, us, { ...next, table: 'rate_bucket', rows: '[]' });
    await expect(noSuchTable).rejects.toMatchObject({ key: 'request.invalid' });
    expect(await moving.internals.homesOf(company.user_id)).toEqual({ front_door: 'eu', eu: 'here', us: undefined });
  });

  it('are not undone by a profile that is handed over late', async () => {
    const company = await moved();
    const { share_code, public_key } = await company.asks(account.readProfile, {});

    const profile = { user_id: company.user_id, type: 'company', display_name: 'Late', language: 'en', share_code, public_key } as const;
    const late = { ...profile, encrypted_private_key: null, created_at: '2026-01-01T00:00:00Z' };
    await expect(moving.operator.request(REGION.addProfile, { region: 'eu' }, late)).rejects.toThrow('does not live here');

    expect(await moving.internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
  });

  it('are in the hands of one front door at a time, and a turn that was overtaken counts no more', async () => {
    const { user_id } = await moving.newCompany();
    const database = moving.internals.database('front_door');
    const later = new Date('3000-01-01');
    await many(
      database,
      sql`
      insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
      values (${user_id}, 'eu', 'us', 'pausing', ${later}, ${later})`,
    );
    const audit = new Audit(database, { addresses: 'full', retentionYears: 3 }, systemClock, silentLog);
    const store = () => new MovesStore(database, new AccountsStore(database), audit);
    const [first, second] = [store(), store()];
    const worked: string[] = [];

    await first.alone(user_id, async () => {
      await second.alone(user_id, async () => void worked.push('second'));
      worked.push('first');
    });
    await second.alone(user_id, async () => void worked.push('second, afterwards'));
    const slow = await first.takeTurn(user_id, later);
    const quick = await second.takeTurn(user_id, later);

    expect(worked).toEqual(['first', 'second, afterwards']);
    expect(quick!.turn).toBeGreaterThan(slow!.turn);
    expect(await first.advance(slow!, later)).toBe(false);
    expect(await second.advance(quick!, later)).toBe(true);
    expect(await moving.internals.stepOf(user_id)).toBe('settling');
  });

  it('remove the rows of a large company in batches, and keep what was removed', async () => {
    const { internals } = moving;
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Club');
    const entries = 2500;
    await internals.logs('region_eu', company.user_id, id, { entries, length: 1 });
    const held = await internals.holdings('eu', company.user_id);
    const letGo = await internals.hold('region_eu', sql`select from service where service_id = ${id} for share`);
    const left = async () =>
      (await many(internals.database('region_eu'), sql`select 1 from service_log where company_user_id = ${company.user_id}`)).length;

    await moving.moves(company, 'us');
    await moving.comesAbout(async () => (await left()) < entries, 'some rows are gone for good');
    expect(await internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: 'arriving', us: 'leaving' });
    await letGo();
    await moving.arrives(company);

    for (const gone of Object.values(await internals.holdings('eu', company.user_id))) expect(gone).toEqual(EMPTY);
    expect(await internals.holdings('us', company.user_id)).toEqual(held);
  });

  it('after the flip are taken again when the front door was restored, whether the move has ended or not', async () => {
    const { internals, operator } = moving;
    const [ended, leavesAgain, stuck] = [await moved(), await moved(), await moving.newCompany()];
    await operator.request(REGION.beginLeaving, { region: 'us' }, { user_id: leavesAgain.user_id, turn: 1000, to: 'eu' });
    const { id } = await moving.creates(stuck, 'Club');
    const letGo = await internals.hold('region_eu', sql`select from service where service_id = ${id} for share`);
    await moving.moves(stuck, 'us');
    await internals.reaches(stuck.user_id, 'leaving');

    await restoresFrontDoor(ended, leavesAgain);
    await letGo();

    for (const company of [ended, leavesAgain, stuck]) {
      await moving.arrives(company);
      expect(await internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
      await moving.creates(company, 'Goes on');
    }
  });

  it('keep the rows in the old region while the new one has none, as after a restore of both', async () => {
    const { internals } = moving;
    const { user_id } = await moving.newCompany();
    const frontDoor = internals.database('front_door');
    await many(frontDoor, sql`update account set region = 'us' where user_id = ${user_id}`);
    await many(internals.database('region_eu'), sql`update profile set home = 'arriving' where user_id = ${user_id}`);

    await restoresFrontDoor({ user_id });
    const tried = sql`select from region_move where user_id = ${user_id} and attempts > 1`;
    await moving.comesAbout(async () => (await many(frontDoor, tried)).length > 0, 'the step is tried again');

    expect(await internals.homesOf(user_id)).toEqual({ front_door: 'us', eu: 'arriving', us: undefined });
    await many(frontDoor, sql`delete from region_move where user_id = ${user_id}`);
  });

  it('compare a table that takes longer to read than other statements may take', async () => {
    const company = await moving.newCompany();
    await moving.creates(company, 'Club');
    const db = await openDatabase({ url: moving.world.databaseUrl('region_eu'), name: 'impatient', pool: 1, statementMs: 3000 });
    const letGo = await moving.internals.hold('region_eu', sql`lock table service in access exclusive mode`);

    const compared = Promise.allSettled([new CompanyRows(db, MOVED_TABLES).holdings(company.user_id, 'service')]);
    await moving.internals.someoneWaits('region_eu', 'relation');
    await pause(4000);
    await letGo();

    expect(await compared).toMatchObject([{ value: { service: { rows: 1 } } }]);
    await db.destroy();
  });

  it('compare the same, whatever time zone a database lives in', async () => {
    const company = await moving.newCompany();
    await moving.creates(company, 'Club');
    const url = new URL(moving.world.databaseUrl('region_eu'));
    url.searchParams.set('options', '-c timezone=Asia/Tokyo');
    const tokyo = await openDatabase({ url: url.href, name: 'tokyo', pool: 1 });

    expect(await many(tokyo, sql`show timezone`)).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    expect(await new CompanyRows(tokyo, MOVED_TABLES).holdings(company.user_id)).toEqual(
      await moving.internals.holdings('eu', company.user_id),
    );
    await tokyo.destroy();
  });

  describe('know every table of a region', () => {
    it('as one that moves, or with the reason why it stays', async () => {
      const tables = await many<{ name: string }>(
        moving.internals.database('region_eu'),
        sql`
        select tablename as name from pg_tables where schemaname = 'public'
         union all
        select 'audit.' || tablename from pg_tables where schemaname = 'audit'`,
      );
      const listed = [...MOVED_TABLES.all.map(({ table }) => table), ...Object.keys(STAYING_TABLES)];

      expect(listed.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
    });

    it.each(MOVED_TABLES.all)('by a key that tells the rows of one company apart: $table', async ({ table, owner, key }) => {
      const unique = await many<{ columns: string[] }>(
        moving.internals.database('region_eu'),
        sql`
        select array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey)
          and attnum <> all(coalesce(partattrs, ''))) as columns
          from pg_index left join pg_partitioned_table on partrelid = indrelid
         where indrelid = ${table}::regclass and indisunique and indpred is null`,
      );

      expect(unique.some(({ columns }) => columns.every((column) => column === owner || column === key))).toBe(true);
    });

    it.each(MOVED_TABLES.all)('by an index that finds the rows of one company: $table', async ({ table, owner }) => {
      const indexed = await many<{ column: string }>(
        moving.internals.database('region_eu'),
        sql`
        select attname as column
          from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0]
         where indrelid = ${table}::regclass`,
      );

      expect(indexed).toContainEqual({ column: owner });
    });
  });
});
