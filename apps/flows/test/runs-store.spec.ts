import { randomUUID } from 'node:crypto';
import { systemClock } from '@codase/runtime/clock';
import { execute, migrate, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FLOWS_MIGRATIONS } from '../src/migrations/index.ts';
import { Settings } from '../src/settings.ts';
import type { KeptTurn } from '../src/turns/kept-run.ts';
import { RunsStore } from '../src/turns/runs.store.ts';
import { TurnEventsStore } from '../src/turns/turn-events.store.ts';
import { TurnsService } from '../src/turns/turns.service.ts';

const TURN = { service: 'shop', flow_run_id: 'run_1' };
/** The run as the platform returns it while the company's turn lasts. */
const OURS = {
  flow_id: 'flow_1',
  status: 'awaiting_company',
  current_node: 'offer',
  bindings: { company: 'usr_1' },
  company_user_id: 'usr_1',
  definition: { nodes: [{ key: 'offer', party: 'company' }] },
} as const;
const SETTINGS = new Settings({}, 60);

describe('store of runs', () => {
  let database: TestDatabase;
  let db: DataSource;
  let store: RunsStore;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate({ url: database.owner, name: 'story', migrations: FLOWS_MIGRATIONS });
    db = await openDatabase({ url: database.app, name: 'story', pool: 2 });
    store = new RunsStore(db, SETTINGS, systemClock);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const begin = async (turn: typeof TURN) => {
    await store.hear(turn, OURS.status, null);
    await store.settle((await store.find(turn))!, OURS);
  };

  describe('when a read of a run arrives late', () => {
    beforeAll(async () => {
      await begin(TURN);
      await store.take(TURN.service, {}, { hold: randomUUID(), holder: 'desk', held_by: null, hold_seconds: 60 });
    });

    const due = () => one(db, sql`select look_at, claimed_until from run where flow_run_id = ${TURN.flow_run_id}`);

    it('keeps answers that are being submitted due, so that another replica submits them if this one dies', async () => {
      const before = (await store.find(TURN)) as KeptTurn;
      await store.answered(before, '{}');
      const submitted = await due();

      const { run, also } = await store.settle(before, OURS);

      expect([run.state, also]).toEqual(['answered', []]);
      expect(submitted).toEqual({ look_at: expect.any(Date), claimed_until: expect.any(Date) });
      expect(await due()).toEqual(submitted);
    });

    it('ends a run that is over, regardless of its state when the read began', async () => {
      const answered = (await store.find(TURN))!;

      const { run } = await store.settle({ ...answered, state: 'taken' }, { ...OURS, status: 'cancelled', current_node: null });

      expect(run.state).toBe('ended');
    });
  });

  it('sends no reminders for a service whose reminder interval is unknown', async () => {
    const events = new TurnEventsStore(db, SETTINGS, systemClock);
    await begin({ service: 'crm', flow_run_id: 'run_2' });
    await execute(db, sql`update run set remind_at = changed_at where service = 'crm'`);

    expect(await events.remind(10, { except: ['crm'] })).toBe(0);
    expect(await events.remind(10, { except: ['shop'] })).toBe(1);
  });

  it('counts a turn that failed five times in a row as failing, until its run is read again', async () => {
    const turn = { service: 'erp', flow_run_id: 'run_3' };
    const failing = async () => (await store.counts()).reduce((sum, one) => sum + one.failing, 0);
    const fail = async () => {
      const taken = await store.take(turn.service, {}, { hold: randomUUID(), holder: 'desk', held_by: null, hold_seconds: 60 });
      await store.release(taken!, { counts: 'failures', open_at: new Date(0), error_key: 'service.unavailable' });
    };
    await begin(turn);
    for (let nth = 0; nth < 4; nth++) await fail();
    expect(await failing()).toBe(0);
    await fail();
    expect(await failing()).toBe(1);

    await store.settle((await store.find(turn))!, OURS);

    expect(await failing()).toBe(0);
  });

  describe('when a turn has changed since it was read', () => {
    const turn = { service: 'pos', flow_run_id: 'run_4' };
    const held = async () => (await store.find(turn)) as KeptTurn;
    beforeAll(() => begin(turn));

    it('leaves a turn with its holder who extended an expired hold', async () => {
      const holding = { hold: randomUUID(), holder: 'desk', hold_seconds: 0 };
      await store.take(turn.service, {}, { ...holding, held_by: null });
      const [lapsed] = await store.lapsed(10);
      await store.extend(turn, { ...holding, hold_seconds: 60 });

      const released = { counts: null, open_at: new Date(0), error_key: null, hasLapsed: true };
      expect(await store.release(lapsed!, released)).toBeUndefined();
      expect(await store.park(lapsed!, 'service.unavailable')).toBeUndefined();

      expect(await held()).toMatchObject({ state: 'taken', hold: holding.hold });
      expect(await store.release(await held(), released)).toMatchObject({ state: 'open' });
    });

    it('does not park a turn for a failure from before it was taken', async () => {
      const open = await held();
      await store.take(turn.service, {}, { hold: randomUUID(), holder: 'desk', held_by: null, hold_seconds: 60 });

      expect(await store.park(open, 'keys.not_found')).toBeUndefined();

      expect(await store.park(await held(), 'keys.not_found')).toMatchObject({ state: 'parked' });
    });
  });

  describe('when the company generates the documents of a run @spec D2-4.3', () => {
    const run = { service: 'lab', flow_run_id: 'run_5' };
    const GENERATING = { ...OURS, status: 'generating' } as const;
    const kept = async () => (await store.find(run))!;
    const claimed = async () => (await store.claim(100)).some(({ flow_run_id }) => flow_run_id === run.flow_run_id);
    beforeAll(() => begin(run));

    it('makes the run due at once, without the overdue time of its answered turn', async () => {
      const { run: now, also } = await store.settle(await kept(), GENERATING);

      expect([now.state, also, now.overdue_at]).toEqual(['generating', [], null]);
      expect(await claimed()).toBe(true);
    });

    it('leaves the run with the replica that claimed it, for as long as the claim is renewed', async () => {
      await store.settle(await kept(), GENERATING);
      expect(await claimed()).toBe(false);
      await execute(db, sql`update run set claimed_until = clock_timestamp() where service = 'lab'`);
      await store.keepClaim(run);
      expect(await claimed()).toBe(false);

      await store.scheduleCheck(run, new Date(0));

      expect(await claimed()).toBe(true);
    });

    it('makes a parked run due again when it is resumed', async () => {
      const parked = await store.park(await kept(), 'flows.generation_failed');
      expect(parked).toMatchObject({ state: 'parked', status: 'generating', error_key: 'flows.generation_failed' });
      expect((await store.settle(parked!, GENERATING)).run.state).toBe('parked');

      expect(await store.resume(run)).toMatchObject({ state: 'generating', error_key: null });

      expect(await claimed()).toBe(true);
      expect((await store.settle(await kept(), { ...GENERATING, status: 'awaiting_signature' })).run.state).toBe('watched');
      expect(await store.resume(run)).toBeUndefined();
    });

    it('does not list a known generating run as unknown, no matter who generates it', async () => {
      const [theirs, listed] = [{ service: 'lab', flow_run_id: 'run_6' }, [{ id: 'run_6', current_node: 'offer' }]];
      const unknown = () => store.unknown('lab', 'generating', listed);
      expect(await unknown()).toEqual(['run_6']);
      await store.hear(theirs, 'generating', null);

      await store.settle((await store.find(theirs))!, { ...GENERATING, bindings: { company: 'usr_2' } });

      expect(await unknown()).toEqual([]);
    });
  });

  it('a waiting taker is answered at once when the process stops, without repeated queries', async () => {
    let requests = 0;
    class Counted extends RunsStore {
      override take(...args: Parameters<RunsStore['take']>) {
        requests++;
        return super.take(...args);
      }
    }
    const [counted, none] = [new Counted(db, SETTINGS, systemClock), undefined as never];
    const drain = new AbortController();
    const turns = new TurnsService(counted, none, none, none, SETTINGS, systemClock, silentLog, drain.signal);
    const asker = { service: 'nobody', user: 'desk', withinMs: 60 * 60_000 };
    const take = () => turns.take(asker, { wait_seconds: 60 * 60, hold_seconds: 60 });
    const waiting = take();
    await eventually(async () => turns.waiting.size === 1 || undefined);

    drain.abort();

    expect(await waiting).toEqual({ turn: null });
    expect(await take()).toEqual({ turn: null });
    expect(requests).toBe(3);
  });
});
