import { appEvents, APP_EVENTS_KEPT, APP_STREAMS_PER_PERSON, tokens, type AppEvent } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { many, one, sql } from '@codase/runtime/db';
import { EventSink } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { freePort } from '@codase/servers';
import { eventually, World, type Listening, type Person } from '@codase/testing';
import { emitAppEvents, type AppEventPresenter, type NewAppEvent } from '../../../src/foundation/app-events/index.ts';
import { LogReader } from '../../../src/foundation/app-events/log-reader.service.ts';
import { AppEventStreams } from '../../../src/foundation/app-events/app-event-streams.service.ts';
import { PlatformInternals } from '../../support/platform-internals.ts';

/** Presents a closed challenge as the challenges do. */
const CLOSED: AppEventPresenter = { presents: { challenge_closed: async ({ object_id }) => ({ challenge_id: object_id }) } };

describe('the stream of app events to a phone @gap D1-1', () => {
  let world: World;
  let internals: PlatformInternals;
  let replica: string;
  let ana: Person;
  let ben: Person;
  const open: Listening[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
    const port = await freePort();
    await world.starts('region-eu', { PORT: String(port), OPS_PORT: '0' });
    replica = `http://127.0.0.1:${port}`;
    [ana, ben] = [world.person('ANA'), world.person('BEN')];
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.leaves()));
  });
  afterAll(() => world?.close());

  let challenges = 0;
  /** Emits the event that a challenge of the company in a region has ended, for these persons. Returns the id of the challenge. */
  const closes = async (region: 'eu' | 'us', ...persons: Person[]): Promise<string> => {
    const challenge_id = `chl_${++challenges}`;
    const event = { company_user_id: world.acme.user_id, kind: 'challenge_closed' as const, object_id: challenge_id, at: new Date() };
    const events = persons.map(({ user_id }): NewAppEvent => ({ ...event, person_user_id: user_id }));
    await internals.database(`region_${region}`).transaction((tx) => emitAppEvents(tx, events));
    return challenge_id;
  };
  const listens = (person: Person, options: Parameters<Person['phone']['listens']>[0] = {}): Listening => {
    const listening = person.phone.listens(options);
    open.push(listening);
    return listening;
  };
  const closed = (challenge_id: string, id: string = expect.any(String) as string) => ({
    id,
    event: 'challenge_closed',
    data: { challenge_id },
  });

  it("delivers an event at every replica of the person's region", async () => {
    const phones = [listens(ana), listens(ana, { at: replica })];
    for (const phone of phones) expect(await phone.next()).toMatchObject({ event: 'reset', data: {} });

    const challenge_id = await closes('eu', ana, ben);

    for (const phone of phones) expect(await phone.next()).toEqual(closed(challenge_id));
  });

  it('delivers events that happen in any region', async () => {
    const phone = listens(ben);
    await phone.hears('reset');

    const [first, second] = [await closes('eu', ben), await closes('us', ben)];

    expect([await phone.next(), await phone.next()].map(({ data }) => data)).toEqual(
      expect.arrayContaining([{ challenge_id: first }, { challenge_id: second }]),
    );
  });

  it('delivers missed events after reconnecting, once and in order', async () => {
    const before = listens(ana);
    const { id } = await before.hears('reset');
    const seen = await closes('eu', ana);
    const last = await before.next();
    expect(last).toEqual(closed(seen));
    await before.leaves();
    const missed = [await closes('eu', ana), await closes('eu', ana), await closes('eu', ana)];

    const after = listens(ana, { after: last.id });
    for (const challenge_id of missed) expect(await after.next()).toEqual(closed(challenge_id));
    const next = await closes('eu', ana);
    expect(await after.next()).toEqual(closed(next));

    const all = listens(ana, { after: id, at: replica });
    for (const challenge_id of [seen, ...missed, next]) expect(await all.next()).toEqual(closed(challenge_id));
  });

  it('returns the same events to a phone that polls', async () => {
    const start = await ana.phone.polls();
    expect(start).toEqual({
      events: [{ id: start.last_event_id, event: 'reset', data: {} }],
      last_event_id: start.last_event_id,
      more: false,
    });
    const challenge_ids = [await closes('eu', ana), await closes('eu', ana)];

    const polled = await ana.phone.polls(start.last_event_id);
    expect(polled.events).toEqual(challenge_ids.map((challenge_id) => closed(challenge_id)));
    expect(polled.last_event_id).toBe(polled.events.at(-1)!.id);
    expect(await ana.phone.polls(polled.last_event_id)).toEqual({ events: [], last_event_id: polled.last_event_id, more: false });

    const piece = await ana.asks(appEvents.listAppEvents, { query: { after: start.last_event_id, limit: 1 } });
    expect(piece).toMatchObject({ events: [closed(challenge_ids[0]!)], more: true });
  });

  it('sends a reset when the last event id is not from the current log', async () => {
    const { last_event_id } = await ana.phone.polls();
    const [log] = last_event_id.split('-');
    const beyond = `${log}-${'9'.repeat(15)}`;

    for (const after of ['log_of_another_time-3', beyond, 'none-3']) {
      expect(await listens(ana, { after }).next()).toEqual({ id: last_event_id, event: 'reset', data: {} });
      expect((await ana.phone.polls(after)).events).toEqual([{ id: last_event_id, event: 'reset', data: {} }]);
    }
  });

  it('sends a reset when the phone missed more events than are stored', async () => {
    const { last_event_id } = await ben.phone.polls();
    const rest = Array.from({ length: APP_EVENTS_KEPT.per_person + 1 }, () => ben);
    await closes('us', ...rest);
    await closes('us', ben);

    const { events, last_event_id: end } = await ben.phone.polls(last_event_id);
    expect(events).toEqual([{ id: end, event: 'reset', data: {} }]);
  });

  it.each(['x', '', 'log_1', 'log_1-01', 'log_1--1', "log_1-1' or 1=1", `${'l'.repeat(65)}-1`])(
    'is refused with %j as the last event id',
    async (after) => {
      await expect(ana.phone.polls(after)).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
      await expect(listens(ana, { after }).next()).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
    },
  );

  it('is limited to five per person, and one more closes the oldest', async () => {
    const opened = async (options: Parameters<typeof listens>[1] = {}) => {
      const phone = listens(ana, options);
      await phone.hears('reset');
      return phone;
    };
    const phones: Listening[] = [];
    while (phones.length < APP_STREAMS_PER_PERSON) phones.push(await opened());
    const others = await opened({ at: replica });

    const newest = await opened();

    await phones[0]!.over;
    const challenge_id = await closes('eu', ana);
    for (const phone of [...phones.slice(1), newest, others]) expect(await phone.next()).toEqual(closed(challenge_id));
  });

  it('delivers an event on the next wake-up when its notification was lost', async () => {
    const streams = streamsOf([CLOSED]);
    const heard = listensTo(streams, ana.user_id);
    await heard.until(1);
    await closes('eu', ana);
    expect(heard.events).toHaveLength(1);

    await streams.wakeLagging();

    await heard.until(2);
    expect(heard.events.map(({ event }) => event)).toEqual(['reset', 'challenge_closed']);
    heard.sink.cut();
  });

  it('closes when the person is at home in another region', async () => {
    const streams = streamsOf([CLOSED]);
    const heard = listensTo(streams, ben.user_id);

    await eventually(async () => heard.sink.isOver || undefined);
    expect(heard.events).toEqual([]);
  });

  it('sends a reset when the content of an event cannot be read', async () => {
    const streams = streamsOf([{ presents: { challenge_closed: () => Promise.reject(new Error('the region of the company is away')) } }]);
    const heard = listensTo(streams, ana.user_id);
    await heard.until(1);

    await closes('eu', ana);
    streams.wake(ana.user_id);

    await heard.until(2);
    expect(heard.events.map(({ event }) => event)).toEqual(['reset', 'reset']);
    heard.sink.cut();
  });

  it('skips an event whose object is already closed', async () => {
    let isOver = true;
    const streams = streamsOf([{ presents: { challenge_closed: async ({ object_id }) => (isOver ? null : { challenge_id: object_id }) } }]);
    const heard = listensTo(streams, ana.user_id);
    await heard.until(1);
    await closes('eu', ana);
    streams.wake(ana.user_id);
    await new Promise((resolve) => setTimeout(resolve, 20));

    isOver = false;
    const challenge_id = await closes('eu', ana);
    streams.wake(ana.user_id);

    await heard.until(2);
    expect(heard.events.at(-1)!.data).toEqual({ challenge_id });
    heard.sink.cut();
  });

  it('reads the content of an event once for all streams of a person', async () => {
    let requests = 0;
    const presents: AppEventPresenter['presents'] = {
      challenge_closed: async ({ object_id }) => {
        requests++;
        await new Promise(setImmediate);
        return { challenge_id: object_id };
      },
    };
    const streams = streamsOf([{ presents }]);
    const phones = [1, 2, 3].map(() => listensTo(streams, ana.user_id));
    await Promise.all(phones.map((heard) => heard.until(1)));

    await closes('eu', ana);
    streams.wake(ana.user_id);

    await Promise.all(phones.map((heard) => heard.until(2)));
    expect(requests).toBe(1);
    for (const { sink } of phones) sink.cut();
  });

  it('stores only ids of an event, no content', async () => {
    const columns = await many<{ column_name: string }>(
      internals.database('region_eu'),
      sql`
      select distinct column_name from information_schema.columns
       where table_name in ('app_event', 'app_event_outbox', 'app_event_log')`,
    );

    expect(columns.map(({ column_name }) => column_name).toSorted()).toEqual([
      'attempts',
      'company_user_id',
      'created_at',
      'event_id',
      'kind',
      'last_seq',
      'log_id',
      'next_at',
      'object_id',
      'person_user_id',
      'seq',
      'traceparent',
    ]);
  });

  it('closes when the person signs out of its session', async () => {
    const phone = listens(ben);
    await phone.hears('reset');
    const other = listens(ana);
    await other.hears('reset');

    const { access_token } = await signedIn(ben);
    const second = listens(ben, { token: access_token });
    await second.hears('reset');
    await ben.asks(tokens.revokeToken, { body: { client_id: 'app_person', token: access_token } });

    await second.over;
    expect(await one(internals.database('region_eu'), sql`select 1 as up`)).toBeDefined();
    const challenge_id = await closes('eu', ana, ben);
    expect(await phone.next()).toEqual(closed(challenge_id));
    expect(await other.next()).toEqual(closed(challenge_id));
  });

  it('closes when its token expires', async () => {
    const phone = listens(ana);
    await phone.hears('reset');

    await world.passes({ hours: 2 });

    expect(await phone.over).toBeUndefined();
  });

  /** A token that the person's other calls do not use. */
  const signedIn = async (person: Person) => {
    const { access_token } = await person.signsIn();
    await person.signsIn();
    return { access_token };
  };

  /** The streams of a process that receives no notifications. */
  const streamsOf = (presenters: readonly AppEventPresenter[]): AppEventStreams => {
    const db = internals.database('region_eu');
    return new AppEventStreams(db, new LogReader(db, presenters, new ManualClock(new Date()), silentLog), silentLog);
  };

  const listensTo = (streams: AppEventStreams, user_id: string) => {
    const events: AppEvent[] = [];
    const sink = new EventSink<AppEvent>((event) => (events.push(event), event));
    sink.bytes.resume();
    streams.open(user_id, sink, undefined);
    return { sink, events, until: (length: number) => eventually(async () => events.length >= length || undefined) };
  };
});
