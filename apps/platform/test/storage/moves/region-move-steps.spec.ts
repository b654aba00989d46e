import { setTimeout as pause } from 'node:timers/promises';
import { account, REGION } from '@codase/contracts';
import { ManualClock, systemClock } from '@codase/runtime/clock';
import { execute, many, one, openDatabase, sql, type Db } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Audit } from '../../../src/foundation/audit/index.ts';
import { CompanyRows } from '../../../src/storage/moves/company-rows.store.ts';
import { AccountsStore } from '../../../src/access/identity/index.ts';
import { FRONT_DOOR_ENTITIES, MOVED_TABLES, STAYING_TABLES } from '../../../src/capabilities.ts';
import type { MoveSteps } from '../../../src/storage/moves/move-steps.service.ts';
import { MovesStore, reconcileMoves, type Move } from '../../../src/storage/moves/moves.store.ts';
import { MovesWorker } from '../../../src/storage/moves/moves.worker.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { EMPTY, until } from '../../support/platform-internals.ts';

/** A node of a plan as Postgres explains it. */
interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  Plans?: Plan[];
}
/** How many rows a statement read up to its limit. */
const limitedRows = (plan: Plan): number =>
  plan['Node Type'] === 'Limit' ? plan['Actual Rows'] : (plan.Plans ?? []).reduce((rows, part) => rows + limitedRows(part), 0);

describe('the steps of a region move @spec D1-5.6 @gap D1-5.6', () => {
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

  it('are refused and change nothing when they arrive late', async () => {
    const { operator, internals } = moving;
    const company = await moved();
    const before = await internals.holdings('us', company.user_id);

    const late = { user_id: company.user_id, turn: 1 };
    for (const there of [{ region: 'eu' }, { region: 'us' }]) {
      const requests = [
        operator.request(REGION.beginLeaving, there, { ...late, to: 'eu' }),
        operator.request(REGION.settleLeaving, there, { ...late, to: 'eu' }),
        operator.request(REGION.handOver, there, { ...late, to: 'eu', from: null }),
        operator.request(REGION.finishLeaving, there, late),
        operator.request(REGION.stay, there, late),
        operator.request(REGION.beginArriving, there, late),
        operator.request(REGION.finishArriving, there, late),
        operator.request(REGION.forgetArrival, there, late),
      ];
      for (const step of await Promise.allSettled(requests)) {
        expect(step).toMatchObject({ reason: { key: 'account.moving', message: expect.stringContaining('comes late') } });
      }
    }
    const rows = { ...late, table: 'service', rows: '[]' };
    const [eu, us] = [await moving.world.busAs('platform-region-eu'), await moving.world.busAs('platform-region-us')];
    await expect(us.request(REGION.takeRows, { region: 'eu' }, rows)).rejects.toMatchObject({ key: 'account.moving' });
    await expect(eu.request(REGION.takeRows, { region: 'us' }, rows)).rejects.toMatchObject({ key: 'account.moving' });
    await moving.world.passes({ minutes: 1 }); // the old region is remembered for so long
    await expect(eu.request(REGION.takeRows, { region: 'us' }, rows)).rejects.toMatchObject({ key: 'service.unavailable' });

    expect(await internals.holdings('us', company.user_id)).toEqual(before);
    expect(await internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
    await moving.creates(company, 'Goes on');
  });

  it('are refused when they do not fit the state of the company', async () => {
    const company = await moving.newCompany();
    const next = { user_id: company.user_id, turn: 1_000_000 };
    const [eu, us] = [{ region: 'eu' }, { region: 'us' }];

    const requests = [
      moving.operator.request(REGION.settleLeaving, eu, { ...next, to: 'us' }),
      moving.operator.request(REGION.handOver, eu, { ...next, to: 'us', from: null }),
      moving.operator.request(REGION.finishLeaving, eu, next),
      moving.operator.request(REGION.beginArriving, eu, next),
      moving.operator.request(REGION.forgetArrival, eu, next),
      moving.operator.request(REGION.finishArriving, us, next),
    ];
    for (const step of await Promise.allSettled(requests)) expect(step).toMatchObject({ reason: { key: 'account.moving' } });
    await moving.operator.request(REGION.beginArriving, us, next);
    const sender = await moving.world.busAs('platform-region-eu');
    const noSuchTable = sender.request(REGION.takeRows, us, { ...next, table: 'rate_bucket', rows: '[]' });
    await expect(noSuchTable).rejects.toMatchObject({ key: 'request.invalid' });
    expect(await moving.internals.homesOf(company.user_id)).toEqual({ front_door: 'eu', eu: 'here', us: undefined });
  });

  it('accept rows of another region only in the turn that the front door began, and only as arriving rows', async () => {
    const { internals, operator, world } = moving;
    const { user_id } = await moving.newCompany();
    const [eu, us] = [internals.database('region_eu'), internals.database('region_us')];
    const profile = (await one<{ rows: string }>(eu, sql`select json_agg(p)::text as rows from profile p where user_id = ${user_id}`))!;
    const region = await world.busAs('platform-region-eu');
    const sends = (turn: number) => region.request(REGION.takeRows, { region: 'us' }, { user_id, turn, table: 'profile', ...profile });
    const noted = () => many(us, sql`select turn from move_turn where user_id = ${user_id}`);
    const refused = { key: 'account.moving', message: expect.stringContaining('not begun here') };

    await expect(sends(1000)).rejects.toMatchObject(refused);
    expect(await noted()).toEqual([]);
    await operator.request(REGION.beginArriving, { region: 'us' }, { user_id, turn: 1000 });
    for (const turn of [999, 1001]) await expect(sends(turn)).rejects.toMatchObject(refused);
    expect(await noted()).toEqual([{ turn: 1000 }]);
    expect((await internals.homesOf(user_id)).us).toBeUndefined();

    await sends(1000);
    expect(await many(eu, sql`select home from profile where user_id = ${user_id}`)).toEqual([{ home: 'here' }]);
    expect((await internals.homesOf(user_id)).us).toBe('arriving');
    await operator.request(REGION.forgetArrival, { region: 'us' }, { user_id, turn: 1001 });
  });

  it('accept no row that names a service of another company', async () => {
    const { internals, operator, world } = moving;
    const neighbour = await world.signsUp({ type: 'company', region: 'us' });
    const { id: service_id } = await moving.creates(neighbour, 'Club');
    const { user_id } = await moving.newCompany();
    const [eu, us] = [internals.database('region_eu'), internals.database('region_us')];
    const profile = (await one<{ rows: string }>(eu, sql`select json_agg(p)::text as rows from profile p where user_id = ${user_id}`))!;
    const stolen = await world.busAs('platform-region-eu');
    const sends = (table: string, rows: string) => stolen.request(REGION.takeRows, { region: 'us' }, { user_id, turn: 1000, table, rows });
    const field = { company_user_id: user_id, position: 1, label: 'Account', type: 'text', one_time: false, mandatory: true };
    const row = { ...field, service_field_id: 'fld_planted', service_id, slug: 'iban', audience: 'both', verified: false };

    await operator.request(REGION.beginArriving, { region: 'us' }, { user_id, turn: 1000 });
    await sends('profile', profile.rows);
    await expect(sends('request_field', JSON.stringify([row]))).rejects.toMatchObject({
      key: 'request.invalid',
      message: expect.stringContaining('not of their company'),
    });

    expect(await many(us, sql`select from request_field where service_id = ${service_id}`)).toEqual([]);
    await operator.request(REGION.forgetArrival, { region: 'us' }, { user_id, turn: 1001 });
  });

  it('are not undone by a late request to add the profile', async () => {
    const company = await moved();
    const { share_code, public_key } = await company.asks(account.readProfile, {});

    const profile = { user_id: company.user_id, type: 'company', display_name: 'Late', language: 'en', share_code, public_key } as const;
    const late = { ...profile, encrypted_private_key: null, created_at: '2026-01-01T00:00:00Z' };
    await expect(moving.operator.request(REGION.addProfile, { region: 'eu' }, late)).rejects.toThrow('does not live here');

    expect(await moving.internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
  });

  it('are performed by one front door at a time, and a turn that was overtaken is void', async () => {
    const { user_id } = await moving.newCompany();
    const database = moving.internals.database('front_door');
    const later = new Date('3000-01-01');
    await execute(
      database,
      sql`
      insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
      values (${user_id}, 'eu', 'us', 'pausing', ${later}, ${later})`,
    );
    const audit = new Audit(database, { addresses: 'full', retentionYears: 3 }, systemClock, silentLog);
    const store = () => new MovesStore(database, new AccountsStore(database), audit);
    const [first, second] = [store(), store()];

    const release = await first.hold(user_id);
    expect(await second.hold(user_id)).toBeUndefined();
    await release!();
    await (await second.hold(user_id))!();
    const slow = await first.takeTurn(user_id, later);
    const quick = await second.takeTurn(user_id, later);

    expect(quick!.turn).toBeGreaterThan(slow!.turn);
    expect(await first.advance(slow!, later)).toBe(false);
    expect(await second.advance(quick!, later)).toBe(true);
    expect(await moving.internals.stepOf(user_id)).toBe('settling');
  });

  describe('the moves worker of a front door', () => {
    const due = new Date('3000-01-01');
    const companies: string[] = [];
    let database: DataSource;
    beforeAll(async () => {
      database = await moving.world.opensDatabase('front_door', { pool: 10, entities: FRONT_DOOR_ENTITIES });
      for (let n = 0; n < 4; n++) companies.push((await moving.newCompany()).user_id);
    });

    const clear = () => execute(database, sql`delete from region_move where due_at > ${moving.world.now}`);
    beforeEach(clear);
    afterAll(async () => {
      await clear();
      await database.destroy();
    });

    const store = () => {
      const audit = new Audit(database, { addresses: 'full', retentionYears: 3 }, systemClock, silentLog);
      return new MovesStore(database, new AccountsStore(database), audit);
    };

    /** Adds moves that are not due yet for the front doors of the world, the first of them due first. */
    const add = async (moves: readonly { step: string; turn: number; inMs?: number }[]) => {
      for (const [n, { step, turn, inMs = n }] of moves.entries())
        await execute(
          database,
          sql`
          insert into region_move (user_id, from_region, to_region, step, turn, started_at, due_at)
          values (${companies[n]}, 'eu', 'us', ${step}, ${turn}::integer, ${due}, ${new Date(due.getTime() + inMs)})`,
        );
    };

    /** Lets a front door look for moves once, and returns the companies whose moves it works on. */
    const takenInHand = async () => {
      const taken: string[] = [];
      const take = ({ user_id }: Move, signal: AbortSignal) => {
        taken.push(user_id);
        return new Promise<boolean>((_, reject) => signal.addEventListener('abort', () => reject(new Error('leaves'))));
      };
      const clock = new ManualClock(new Date(due.getTime() + 1000));
      const worker = new MovesWorker(store(), { take } as MoveSteps, clock, silentLog);
      await worker['check']();
      await until(async () => taken.length === worker['inHand'].size, 'each move in hand has begun its step');
      await worker.beforeApplicationShutdown();
      return taken;
    };

    const fresh = { step: 'pausing', turn: 0 };
    const begun = { step: 'copying', turn: 1 };

    it('resumes moves that have begun before it begins new ones', async () => {
      await add([fresh, fresh, fresh, begun]);

      expect((await takenInHand()).toSorted()).toEqual([companies[0], companies[1], companies[3]].toSorted());
    });

    it('begins no new move while moves that wait to resume take up its limit', async () => {
      const later = { ...begun, inMs: 60_000 };
      await add([later, later, later, fresh]);

      expect(await takenInHand()).toEqual([]);
    });

    it('does not count moves that another front door works on', async () => {
      await add([begun, begun, begun, fresh]);
      const releases: (() => Promise<void>)[] = [];
      const other = store();
      for (const user_id of companies.slice(0, 3)) releases.push((await other.hold(user_id))!);

      expect(await takenInHand()).toEqual([companies[3]]);
      for (const release of releases) await release();
    });
  });

  it('remove the rows of a large company from the old region in batches, and lose none', async () => {
    const { internals } = moving;
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Club');
    const entries = 2500;
    await internals.logs('region_eu', company.user_id, id, { entries, length: 1 });
    const before = await internals.holdings('eu', company.user_id);
    const letGo = await internals.hold('region_eu', sql`select from service where service_id = ${id} for share`);
    const left = async () =>
      (await many(internals.database('region_eu'), sql`select 1 from service_log where company_user_id = ${company.user_id}`)).length;

    await moving.moves(company, 'us');
    await moving.comesAbout(async () => (await left()) < entries, 'some rows are gone for good');
    expect(await internals.homesOf(company.user_id)).toEqual({ front_door: 'us', eu: 'arriving', us: 'leaving' });
    await letGo();
    await moving.arrives(company);

    for (const gone of Object.values(await internals.holdings('eu', company.user_id))) expect(gone).toEqual(EMPTY);
    expect(await internals.holdings('us', company.user_id)).toEqual(before);
  });

  it('are repeated from the flip on after a restore of the front door, whether or not the move has ended', async () => {
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

  it('keep the rows in the old region while the new region has none, as after a restore of both', async () => {
    const { internals } = moving;
    const { user_id } = await moving.newCompany();
    const frontDoor = internals.database('front_door');
    await execute(frontDoor, sql`update account set region = 'us' where user_id = ${user_id}`);
    await execute(internals.database('region_eu'), sql`update profile set home = 'arriving' where user_id = ${user_id}`);

    await restoresFrontDoor({ user_id });
    const tried = sql`select from region_move where user_id = ${user_id} and attempts > 1`;
    await moving.comesAbout(async () => (await many(frontDoor, tried)).length > 0, 'the step is tried again');

    expect(await internals.homesOf(user_id)).toEqual({ front_door: 'us', eu: 'arriving', us: undefined });
    await execute(frontDoor, sql`delete from region_move where user_id = ${user_id}`);
  });

  it.each([
    { what: 'one by one, when they are large', entries: 40, length: 50_000, sent: 1, mostRead: 1 },
    { what: 'many at once, when they are small', entries: 400, length: 1, sent: 200, mostRead: 200 },
  ])('read the rows that they send $what', async ({ entries, length, sent, mostRead }) => {
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Club');
    await moving.internals.logs('region_eu', company.user_id, id, { entries, length });
    const db = moving.internals.database('region_eu');
    const runner = db.createQueryRunner();
    let read = 0;
    const query = async (text: string, values: unknown[]) => {
      const explained = await runner.query(`explain (analyze, format json) ${text}`, values, true);
      read += limitedRows((explained.records as { 'QUERY PLAN': [{ Plan: Plan }] }[])[0]!['QUERY PLAN'][0].Plan);
      return runner.query(text, values, true);
    };

    const rows = new CompanyRows(db, MOVED_TABLES);
    const cursor = { table: 'service_log', after: `${id}_log_` };
    const chunk = await rows.chunk(company.user_id, cursor, { queryRunner: { query } } as unknown as Db);

    expect(JSON.parse(chunk!.rows)).toHaveLength(sent);
    expect(read).toBeLessThanOrEqual(mostRead);
    await runner.release();
  });

  it('compare a table even when reading it takes longer than the statement timeout', async () => {
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

  it('compare rows independently of the time zone of the database', async () => {
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

  describe('the list of tables that a region move copies', () => {
    it('has every table of a region as one that moves, or with the reason why it stays', async () => {
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

    it.each(MOVED_TABLES.all)(
      'has only tables with a key that tells the rows of one company apart: $table',
      async ({ table, owner, key }) => {
        const unique = await many<{ columns: string[] }>(
          moving.internals.database('region_eu'),
          sql`
        select array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey)
          and attnum <> all(coalesce(partattrs, ''))) as columns
          from pg_index left join pg_partitioned_table on partrelid = indrelid
         where indrelid = ${table}::regclass and indisunique and indpred is null`,
        );

        expect(unique.some(({ columns }) => columns.every((column) => column === owner || column === key))).toBe(true);
      },
    );

    it.each(MOVED_TABLES.all)('has only tables with an index that finds the rows of one company: $table', async ({ table, owner }) => {
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
