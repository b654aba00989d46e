import { APP_EVENT_SUBJECTS, APP_EVENTS_KEPT } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import { emitAppEvents, type NewAppEvent } from '../../../src/foundation/app-events/index.ts';
import { PlatformInternals, inOwnTransaction } from '../../support/platform-internals.ts';

type Region = 'region_eu' | 'region_us';

describe('storing of app events', () => {
  let world: World;
  let internals: PlatformInternals;
  const [ana, ben] = ['usr_demo_ana', 'usr_demo_ben'];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
  });
  afterAll(() => world?.close());

  const closed = (person_user_id: string, object_id: string): NewAppEvent => ({
    person_user_id,
    company_user_id: world.acme.user_id,
    kind: 'challenge_closed',
    object_id,
    at: new Date(),
  });
  const emits = (region: Region, ...events: NewAppEvent[]) => internals.database(region).transaction((tx) => emitAppEvents(tx, events));
  const storedOf = (region: Region, person: string) =>
    many<{ seq: string; object_id: string }>(
      internals.database(region),
      sql`select seq, object_id from app_event where person_user_id = ${person} order by seq`,
    );
  const outboxOf = (region: Region) => many(internals.database(region), sql`select event_id from app_event_outbox`);

  it('numbers events per person in commit order', async () => {
    await emits('region_eu', closed(ana, 'chl_1'), closed(ana, 'chl_2'));
    await emits('region_eu', closed(ana, 'chl_3'));

    expect(await storedOf('region_eu', ana)).toEqual([
      { seq: '1', object_id: 'chl_1' },
      { seq: '2', object_id: 'chl_2' },
      { seq: '3', object_id: 'chl_3' },
    ]);
    expect(await outboxOf('region_eu')).toEqual([]);
  });

  it('stores no event when the transaction rolls back', async () => {
    const emitted = inOwnTransaction(internals.database('region_eu'), async (tx) => {
      await emitAppEvents(tx, [closed(ana, 'chl_4')]);
      throw new Error('the change failed');
    });

    await expect(emitted).rejects.toThrow('the change failed');
    expect(await storedOf('region_eu', ana)).toHaveLength(3);
  });

  it('sends an event to the home region of the person', async () => {
    await emits('region_eu', closed(ben, 'chl_5'), closed(ana, 'chl_6'));

    const stored = await eventually(async () => ((await storedOf('region_us', ben)).length > 0 ? storedOf('region_us', ben) : undefined));
    expect(stored).toEqual([{ seq: '1', object_id: 'chl_5' }]);
    await eventually(async () => ((await outboxOf('region_eu')).length === 0 ? true : undefined));
    expect(await storedOf('region_eu', ana)).toHaveLength(4);
  });

  it('stores an event once, however often it is handed over', async () => {
    const bus = await world.busAs('platform-region-eu');
    const event = { event_id: 'ape_1', kind: 'challenge_closed' as const, company_user_id: 'usr_x', created_at: new Date().toISOString() };
    const events = [{ ...event, person_user_id: ben, object_id: 'chl_7', traceparent: null }];

    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => bus.request(APP_EVENT_SUBJECTS.store, { region: 'us' }, { events })));
    expect(answers).toContainEqual({ status: 'fulfilled', value: { elsewhere: [] } });
    expect(await bus.request(APP_EVENT_SUBJECTS.store, { region: 'us' }, { events })).toEqual({ elsewhere: [] });

    expect((await storedOf('region_us', ben)).map(({ object_id }) => object_id)).toEqual(['chl_5', 'chl_7']);
  });

  it('returns events of persons who are at home elsewhere, without storing them', async () => {
    const bus = await world.busAs('platform-region-eu');
    const event = { event_id: 'ape_2', kind: 'challenge_closed' as const, company_user_id: 'usr_x', created_at: new Date().toISOString() };
    const events = [{ ...event, person_user_id: ana, object_id: 'chl_8', traceparent: null }];

    expect(await bus.request(APP_EVENT_SUBJECTS.store, { region: 'us' }, { events })).toEqual({ elsewhere: ['ape_2'] });
  });

  it('keeps only the newest events of each person, up to the limit', async () => {
    const many = Array.from({ length: APP_EVENTS_KEPT.per_person + 3 }, (_, nth) => closed(ana, `chl_many_${nth}`));
    await emits('region_eu', ...many);
    await emits('region_eu', closed(ana, 'chl_last'));

    const stored = await storedOf('region_eu', ana);
    expect(stored).toHaveLength(APP_EVENTS_KEPT.per_person);
    expect(stored.at(-1)!.object_id).toBe('chl_last');
  });
});
