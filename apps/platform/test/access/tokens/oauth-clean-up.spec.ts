import { FRONT_DOOR_MIGRATIONS } from '@codase/platform';
import { ManualClock } from '@codase/runtime/clock';
import { migrate, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { AppSignInsStore } from '../../../src/accounts/sign-in-apps/app-sign-ins.store.ts';
import { EnrolmentsStore } from '../../../src/accounts/sign-in/enrolments.store.ts';
import { ExpiredGrants } from '../../../src/access/tokens/expired-grants.worker.ts';

describe('clean-up of sign-in data', () => {
  const clock = new ManualClock();
  let database: TestDatabase;
  let db: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate({ url: database.owner, name: 'test', migrations: FRONT_DOOR_MIGRATIONS });
    db = await openDatabase({ url: database.app, name: 'test', pool: 2 });
    await one(
      db,
      sql`insert into account (user_id, type, email, region, created_at) values ('usr_1', 'person', 'a@b.example', 'eu', ${clock.now()})`,
    );
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000);
  const begins = (session_id: string) =>
    one(
      db,
      sql`insert into session (session_id, client_id, user_id, epoch, created_at) values (${session_id}, 'app_person', 'usr_1', 1,
        ${clock.now()})`,
    );
  const left = async () =>
    (await one<object>(
      db,
      sql`
    select (select count(*)::int from session) as sessions, (select count(*)::int from authorization_code) as codes,
           (select count(*)::int from refresh_token) as tokens, (select count(*)::int from detached_result) as results`,
    ))!;

  it('deletes the values of a sign-in with an app that was never exchanged, once they expire', async () => {
    const cleanUp = new ExpiredGrants(db, clock, silentLog, [new AppSignInsStore(db)]);
    const rows = () => one(db, sql`select count(*)::int as rows from app_sign_in`);
    await begins('ses_app');
    await one(
      db,
      sql`
      insert into app_sign_in (session_id, code_hash, redirect_uri, claims, claims_delivery, digits, status, seal_key,
                               sealed_private_key, sealed_values, created_at, expires_at)
      values ('ses_app', 'h', 'https://a.example', '[]', 'plaintext', '42', 'approved', 'k', 'k', 'sealed',
              ${clock.now()}, ${inMinutes(10)})`,
    );
    await cleanUp.round();
    expect(await rows()).toEqual({ rows: 1 });

    clock.passes(10 * 60_000);
    await cleanUp.round();

    expect(await rows()).toEqual({ rows: 0 });
    await one(db, sql`delete from session where session_id = 'ses_app'`);
  });

  it('deletes expired codes, tokens and results, and a session last', async () => {
    const cleanUp = new ExpiredGrants(db, clock, silentLog, [new EnrolmentsStore(db)]);
    await begins('ses_1');
    await one(db, sql`insert into authorization_code values ('c1', 'ses_1', 'https://a.example', 'x', ${inMinutes(1)}, ${clock.now()})`);
    await one(db, sql`insert into refresh_token values ('r1', 'ses_1', ${inMinutes(90)}, ${clock.now()})`);
    await one(db, sql`insert into detached_result values ('app_person', 's1', 'waiting', ${inMinutes(10)})`);
    expect(await cleanUp.round()).toBe(0);

    clock.passes(60_000);
    expect(await cleanUp.round()).toBe(1);
    expect(await left()).toEqual({ sessions: 1, codes: 0, tokens: 1, results: 1 });

    clock.passes(60 * 60_000);
    expect(await cleanUp.round()).toBe(1);
    expect(await left()).toEqual({ sessions: 1, codes: 0, tokens: 1, results: 0 });

    clock.passes(30 * 60_000);
    expect(await cleanUp.round()).toBe(2);
    expect(await left()).toEqual({ sessions: 0, codes: 0, tokens: 0, results: 0 });
  });

  it("deletes in batches, and two concurrent sweeps skip each other's rows", async () => {
    await begins('ses_2');
    await one(db, sql`insert into refresh_token select 'r' || n, 'ses_2', ${clock.now()} from generate_series(1, 2500) n`);

    const swept = await Promise.all([
      new ExpiredGrants(db, clock, silentLog, [new EnrolmentsStore(db)]).round(),
      new ExpiredGrants(db, clock, silentLog, [new EnrolmentsStore(db)]).round(),
    ]);

    expect(swept[0]! + swept[1]!).toBe(2500);
  });
});
