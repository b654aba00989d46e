import { serviceClient } from '@cds/contracts';
import { many, sql } from '@cds/runtime/db';
import { emit } from '../src/feed/index.ts';
import { runsOf } from './feed-world.ts';
import { MovingWorld } from './moving-world.ts';

describe('a company that moves to another region @spec D1-5.6', () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open();
  });
  afterAll(() => moving?.close());

  const happensIn = (region: 'region_eu' | 'region_us', company_user_id: string, service_id: string, runs: number[]) => {
    const of = (run: number) =>
      ({
        event: 'flow_run_turn',
        person_user_id: 'usr_demo_ana',
        share_code: 'ANA',
        at: new Date().toISOString(),
        flow_run_id: `run_${run}`,
        awaiting_party: 'company',
      }) as const;
    return moving.behind.database(region).transaction((tx) =>
      emit(
        tx,
        runs.map((run) => ({ company_user_id, service_id, event: of(run) })),
      ),
    );
  };

  it('takes what waits in its feeds with it; what happens there comes after it, and after what others brought', async () => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'basic' });
    const { id } = await moving.creates(company, 'Club');
    const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    const club = moving.world.backendOf(company, { ...client, service_id: id });
    await many(moving.behind.database('region_eu'), sql`select nextval('feed_event_seq_seq') from generate_series(1, 1000)`);
    await happensIn('region_eu', company.user_id, id, [0, 1, 2]);

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await happensIn('region_us', company.user_id, id, [3, 4]);

    await club.getsToken();
    const { events, more } = await club.feed.drains();
    expect([runsOf(events), more]).toEqual([['run_0', 'run_1', 'run_2', 'run_3', 'run_4'], false]);
  });
});
