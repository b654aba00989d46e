import { APP_EVENT_SUBJECTS, Refusal } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { requiredVariable, TestDatabases } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { emitAppEvents } from '../../../src/foundation/app-events/index.ts';
import { renewLogs } from '../../../src/foundation/app-events/events.store.ts';
import { AppEventOutbox } from '../../../src/foundation/app-events/app-event-outbox.service.ts';
import { PeerHandlers } from '../../../src/foundation/peers/index.ts';
import { AppEventRetention } from '../../../src/foundation/app-events/app-event-retention.worker.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('the outbox of app events', () => {
  let databases: TestDatabases;
  let db: DataSource;
  const clock = new ManualClock('2026-11-16T12:00:00Z');
  /** What other regions were asked to store, and what they answer. */
  let requests: string[] = [];
  let answer: (event_ids: string[]) => Promise<{ elsewhere: string[] }>;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    db = await openDatabase({ url: databases.urls.region_eu.app, name: 'test' });
    await execute(
      db,
      sql`
      insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
      values ('usr_here', 'person', 'Here', 'en', 'HERE', '', now())`,
    );
  });
  beforeEach(() => {
    requests = [];
    answer = async () => ({ elsewhere: [] });
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  const outbox = new (class {
    /** The home regions of two persons, which change in the tests. A third person is no user any more and has none. */
    readonly homes: Record<string, string> = { usr_far: 'us', usr_farther: 'asia' };
    get service(): AppEventOutbox {
      const home = { regionOf: async (user_id: string) => this.homes[user_id] };
      const peers = {
        call: async (_: unknown, region: string, { events }: { events: { event_id: string; object_id: string }[] }) => {
          requests.push(...events.map(({ object_id }) => `${region} ${object_id}`));
          return answer(events.map(({ event_id }) => event_id));
        },
      };
      return new AppEventOutbox(db, home as never, peers as never, clock, silentLog);
    }
  })();
  const emits = (person_user_id: string, object_id: string, at = clock.now()) =>
    db.transaction((tx) =>
      emitAppEvents(tx, [{ person_user_id, company_user_id: 'usr_company', kind: 'challenge_closed', object_id, at }]),
    );
  const waiting = async () =>
    (await many<{ object_id: string }>(db, sql`select object_id from app_event_outbox order by object_id`)).map(
      ({ object_id }) => object_id,
    );
  const away = () => Promise.reject(new Refusal('service.unavailable'));

  it('hands events over to the region of each person, and deletes them', async () => {
    await emits('usr_far', 'chl_1');
    await emits('usr_farther', 'chl_2');

    expect(await outbox.service.handOver()).toBe(2);

    expect(requests.toSorted()).toEqual(['asia chl_2', 'us chl_1']);
    expect(await waiting()).toEqual([]);
  });

  it('retries with growing delays while a region is unavailable', async () => {
    const { service } = outbox;
    await emits('usr_far', 'chl_3');
    answer = away;
    for (const seconds of [1, 2, 4]) {
      requests = [];
      await service.handOver();
      await service.handOver();
      expect(requests).toEqual(['us chl_3']);
      clock.passes(seconds * 1000);
    }

    answer = async () => ({ elsewhere: [] });
    await service.handOver();
    expect(await waiting()).toEqual([]);
  });

  it('hands events over to the new region after a person has moved', async () => {
    const { service } = outbox;
    await emits('usr_far', 'chl_4');
    await service.handOver();
    outbox.homes['usr_far'] = 'asia';
    await emits('usr_far', 'chl_5');
    answer = async (elsewhere) => ({ elsewhere });
    await service.handOver();
    clock.passes(1000);
    answer = async () => ({ elsewhere: [] });

    await service.handOver();

    expect(requests).toEqual(['us chl_4', 'us chl_5', 'asia chl_5']);
    expect(await waiting()).toEqual([]);
  });

  it('hands over the other events when a region refuses one', async () => {
    for (const object_id of ['chl_good', 'chl_new', 'chl_other']) await emits('usr_farther', object_id);
    answer = async (event_ids) => {
      if (event_ids.length > 1 || requests.at(-1) === 'asia chl_new') throw new Refusal('request.invalid');
      return { elsewhere: [] };
    };

    await outbox.service.handOver();

    expect(await waiting()).toEqual(['chl_new']);
    await execute(db, sql`delete from app_event_outbox`);
  });

  it('drops events of a person who does not exist any more', async () => {
    await emits('usr_gone', 'chl_6');

    await outbox.service.handOver();

    expect([requests, await waiting()]).toEqual([[], []]);
  });

  it('gives up events that are older than the retention time', async () => {
    const { service } = outbox;
    await emits('usr_far', 'chl_7', new Date(clock.now().getTime() - 25 * HOUR_MS));
    await emits('usr_far', 'chl_8');

    await service.giveUpOld();

    expect(await waiting()).toEqual(['chl_8']);
  });

  it("deletes events after a day in the person's home region", async () => {
    const mode = { isPaused: () => false };
    const retention = new AppEventRetention(db, mode as never, clock, silentLog);
    await emits('usr_here', 'chl_9', new Date(clock.now().getTime() - 25 * HOUR_MS));
    await emits('usr_here', 'chl_10');

    expect(await retention.sweep()).toBe(1);

    expect(await many(db, sql`select object_id from app_event`)).toEqual([{ object_id: 'chl_10' }]);
  });

  it('gets a new log id after a restore', async () => {
    const logs = () => many<{ log_id: string; last_seq: string }>(db, sql`select log_id, last_seq from app_event_log`);
    const [before] = await logs();

    await db.transaction(renewLogs);

    const [after] = await logs();
    expect(after!.last_seq).toBe(before!.last_seq);
    expect(after!.log_id).not.toBe(before!.log_id);
  });

  it('accepts no events from another region while writes are paused', async () => {
    let isPaused = true;
    const checkWritable = () => {
      if (isPaused) throw new Refusal('db.writes_paused');
    };
    const speakers = { check: async () => undefined };
    const acts = { check: () => undefined };
    const handlers = new PeerHandlers({ checkWritable, checkInOrder: () => undefined }, speakers, acts);
    handlers.bind(APP_EVENT_SUBJECTS, outbox.service);
    const store = (request: object) =>
      handlers.answer(APP_EVENT_SUBJECTS.store, request, { user: 'platform-region-us', withinMs: undefined });
    const event = { event_id: 'evt_paused', person_user_id: 'usr_here', company_user_id: 'usr_company', object_id: 'chl_paused' };
    const events = [{ ...event, kind: 'challenge_closed' as const, created_at: clock.now().toISOString(), traceparent: null }];
    const stored = async () => (await many(db, sql`select from app_event where event_id = 'evt_paused'`)).length;

    await expect(store({ events })).rejects.toMatchObject({ key: 'db.writes_paused' });
    expect(await stored()).toBe(0);

    isPaused = false;
    expect(await store({ events })).toEqual({ elsewhere: [] });
    expect(await stored()).toBe(1);
  });
});
