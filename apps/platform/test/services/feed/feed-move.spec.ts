import { serviceClient } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue } from '@codase/testing';
import { storeCustomerEvents } from '../../../src/services/feed/customer-events.store.ts';
import { companyEvents, emit, emitCustomerEvents } from '../../../src/services/feed/index.ts';
import { runsOf } from './feed-world.ts';
import { MovingWorld } from '../../support/moving-world.ts';

describe('feeds of a company that moves to another region @spec D1-5.6', () => {
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
    return moving.internals.database(region).transaction((tx) =>
      emit(
        tx,
        runs.map((run) => ({ company_user_id, service_id, event: of(run) })),
      ),
    );
  };

  it('keep undrained events, in order before events of the new region', async () => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'basic' });
    const { id } = await moving.creates(company, 'Club');
    const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    const club = moving.world.backendOf(company, { ...client, service_id: id });
    await execute(moving.internals.database('region_eu'), sql`select nextval('feed_event_seq_seq') from generate_series(1, 1000)`);
    await happensIn('region_eu', company.user_id, id, [0, 1, 2]);

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await happensIn('region_us', company.user_id, id, [3, 4]);

    await club.getsToken();
    const { events, more } = await club.feed.drains();
    expect([runsOf(events), more]).toEqual([['run_0', 'run_1', 'run_2', 'run_3', 'run_4'], false]);
  });

  it("include the company's own feed as a customer, also for later events from its old region @spec D1-4.6", async () => {
    const company = await moving.newCompany();
    const customer = { customer_user_id: company.user_id, customer_type: 'company', service_id: 'ser_x', connection_id: 'conn_x' } as const;
    const happens = (message_id: string) =>
      moving.internals
        .database('region_eu')
        .transaction((tx) => emitCustomerEvents(tx, companyEvents([customer], { event: 'message_received', message_id }, new Date())));
    await happens('msg_0');
    await happens('msg_1');

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await happens('msg_2');

    const heard: (string | undefined)[] = [];
    await comesTrue(async () => {
      heard.push(...(await company.asCustomer.drains()).map((event) => ('message_id' in event ? event.message_id : undefined)));
      expect(heard).toEqual(['msg_0', 'msg_1', 'msg_2']);
    });
    // The old region deletes the event once the new one has confirmed that it has the event.
    const left = () => many(moving.internals.database('region_eu'), sql`select event_id from customer_event_outbox`);
    await comesTrue(async () => expect(await left()).toEqual([]));
  });

  it('store an event of the customer feed once, and none while the company leaves @spec D1-4.6', async () => {
    const { user_id } = await moving.newCompany();
    const db = moving.internals.database('region_eu');
    const event = {
      id: 'cevt_1',
      event: 'fields_requested',
      service_id: 'ser_x',
      connection_id: 'conn_x',
      at: new Date().toISOString(),
    } as const;
    const stores = () => db.transaction((tx) => storeCustomerEvents(tx, [{ user_id, event, traceparent: null }]));
    const waiting = async () => (await many(db, sql`select id from feed_event where channel = ${user_id}`)).length;

    expect([await stores(), await stores()]).toEqual([new Set(['cevt_1']), new Set(['cevt_1'])]);
    expect(await waiting()).toBe(1);

    await execute(db, sql`delete from feed_event where channel = ${user_id}`);
    await execute(db, sql`update profile set home = 'settling' where user_id = ${user_id}`);
    expect([await stores(), await waiting()]).toEqual([new Set(), 0]);
    await execute(db, sql`update profile set home = 'here' where user_id = ${user_id}`);
  });
});
