import { companyData, OPERATOR, runs, services, type FeedEvent, type Level, type Run } from '@codase/contracts';
import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import { comesTrue, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { takeHome } from '../../../src/foundation/regions/home-lock.store.ts';
import { refused } from '../../sharing/connections/connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { ORDER, orderWith, publishes } from './flow-runs-world.ts';

const DOCUMENT = orderWith((definition) => {
  definition.output_mode = 'document';
  definition.nodes[0]!.elements.push({ kind: 'field', slug: 'paper', label: 'Paper', type: 'pdf_document', required: false });
  const rules = [{ source_field: 'paper', languages: 'all' as const }];
  definition.nodes[3]!.output = { language_party: 'customer', documents: [{ output_key: 'contract', name: 'Contract', rules }] };
});

describe('a run that ends early @spec D2-3 @spec D2-8', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let flow: string;
  let contract: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 3 });
    flow = await publishes(world.acme, shop.service_id!, ORDER);
    contract = await publishes(world.acme, shop.service_id!, DOCUMENT);
  });
  afterAll(() => world?.close());

  const connected = async (region: 'eu' | 'us' = 'eu') => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };
  type Customer = Awaited<ReturnType<typeof connected>>;
  const starts = ({ id }: OwnConnection, flowId = flow) => shop.flows.starts(flowId, { target: { connection_id: id } });
  const kindsOf = async ({ id }: Pick<Run, 'id'>) =>
    (
      await many<{ body: FeedEvent }>(
        db,
        sql`select body from feed_event where channel = ${shop.service_id} and body ->> 'flow_run_id' = ${id} order by seq`,
      )
    ).map(({ body }) => body.event);
  const storedOf = async ({ id }: Pick<Run, 'id'>, on: Db = db) =>
    (await one<{ stored: number }>(
      on,
      sql`
      select (select count(*)::int from flow_run_answer where run_id = ${id})
           + (select count(*)::int from flow_run_file where run_id = ${id}) as stored`,
    ))!.stored;
  const setsLevel = async (level: Level, user_id = shop.company_user_id) =>
    (await world.operator('platform')).request(OPERATOR.setLevel, {}, { user_id, level });
  /** Returns a company that has just lost the level. */
  const lapsed = async () => {
    const { user_id } = await world.signsUp({ type: 'company', level: 'pro' });
    await setsLevel('free', user_id);
    return user_id;
  };
  /** Lets days pass and gets a new token, because the old one ends meanwhile. */
  const passes = async (days: number) => {
    await world.passes({ hours: days * 24 });
    await shop.getsToken();
  };
  const deletes = async (person: Person) => {
    await person.phone.requestsDeletion();
    const mail = (await world.mails()).find(({ to, subject }) => to === person.email && subject.includes('deletes'));
    await person.phone.confirmsDeletion(mail!.code!);
  };

  it('is cancelled by the company in every open status, and informs the phone', async () => {
    const { person, connection } = await connected();
    const listening = person.phone.listens();
    await listening.hears('reset');
    const awaitingCustomer = await starts(connection);
    const awaitingCompany = await person.flows.answers(connection, await starts(connection), {}, { next_node: 'price' });
    const generating = await starts(connection, contract);
    await person.flows.answers(connection, generating, {}, { next_node: 'price' });
    await shop.flows.answers(generating, {}, { next_node: 'confirm' }, [person]);
    const atLeaf = await person.flows.answers(connection, generating, { agreed: 'yes' }, { leaf: true });
    expect(atLeaf).toMatchObject({ status: 'generating', current_node: 'confirm' });

    for (const run of [awaitingCustomer, awaitingCompany, generating]) {
      expect(await shop.flows.cancels(run)).toMatchObject({ id: run.id, status: 'cancelled', current_node: null });
      expect((await listening.hears('flow_run_cancelled')).data).toEqual({ flow_run_id: run.id, connection_id: connection.id });
    }
    await listening.leaves();
    await expect(shop.flows.cancels(generating)).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    await expect(shop.flows.cancels({ id: 'run_nowhere' })).rejects.toEqual(refused('flows.run_not_found', 404));
    expect(await kindsOf(generating)).toEqual(['flow_run_turn', 'flow_run_turn', 'flow_run_turn']);
    expect((await shop.flows.reads(generating)).answers.map(({ slug }) => slug)).toEqual(['agreed']);
  });

  it.each(['eu', 'us'] as const)('is cancelled with the connection of a person in region %s', async (region) => {
    const { person, connection } = await connected(region);
    const run = await starts(connection);

    await person.connections.disconnects(connection);

    expect(await shop.flows.reads(run)).toMatchObject({ status: 'cancelled', connection_id: connection.id });
    await expect(shop.flows.answers(run, {}, { next_node: 'price' }, [person])).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    await expect(person.flows.reads(connection, run)).rejects.toEqual(refused('company_data.connection_not_found', 404));
  });

  it("is cancelled when the person's account is deleted, and remains readable", async () => {
    const { person, connection } = await connected();
    const run = await person.flows.answers(connection, await starts(connection), { quantity: '2' }, { next_node: 'price' });

    await deletes(person);

    await comesTrue(async () => expect(await shop.flows.reads(run)).toMatchObject({ status: 'cancelled' }));
    const deleted = refused('account.counterparty_deleted', 409);
    const body = { answers: [], next_node: 'confirm' };
    await expect(shop.asks(runs.answerRun, { params: { runId: run.id }, body })).rejects.toEqual(deleted);
    await expect(shop.flows.cancels(run)).rejects.toEqual(deleted);
    expect((await shop.flows.reads(run)).answers).toHaveLength(1);
    const again = shop.flows.starts(flow, { target: { connection_id: connection.id } });
    await expect(again).rejects.toEqual(refused('flows.connection_not_found', 404));
  });

  it('prevents the deletion of its flow while it is open', async () => {
    const { connection } = await connected();
    const own = await publishes(world.acme, shop.service_id!, ORDER);
    const run = await starts(connection, own);
    const remove = () => world.acme.flows.deletes({ id: own });

    await expect(remove()).rejects.toMatchObject({ status: 409 });
    await shop.flows.cancels(run);
    await remove();

    expect(await shop.flows.reads(run)).toMatchObject({ flow_id: own, definition: ORDER });
  });

  it('is cancelled and loses its data 30 days after the company lost the level, unless the level returns', async () => {
    const { person, connection } = await connected();
    const open = await person.flows.answers(connection, await starts(connection), { quantity: '2' }, { next_node: 'price' });
    await setsLevel('basic');
    await expect(starts(connection)).rejects.toEqual(refused('account.level_required', 403));
    await passes(29);
    await setsLevel('pro');
    await passes(2);
    const later = await starts(connection);
    expect(await storedOf(open)).toBeGreaterThan(0);

    await setsLevel('basic');
    await passes(29);
    expect(await shop.flows.reads(open)).toMatchObject({ status: 'awaiting_company' });
    await passes(1);
    await comesTrue(async () => expect(await storedOf(open)).toBe(0));

    await setsLevel('business');
    const { items } = await shop.asks(companyData.readLogs, { query: {} });
    expect(items.filter(({ kind }) => kind === 'run_data_removed')).toHaveLength(1);
    expect(await shop.flows.reads(open)).toMatchObject({
      status: 'cancelled',
      answers: [],
      source_files: {},
      tag_values: null,
      bindings: open.bindings,
      private_slugs: [],
    });
    expect(await shop.flows.reads(later)).toMatchObject({ status: 'cancelled' });
  });

  it("loses its data 7 days after the company's level became free, if that is before the 30 days", async () => {
    const { person, connection } = await connected();
    const open = await person.flows.answers(connection, await starts(connection), { quantity: '2' }, { next_node: 'price' });
    await setsLevel('basic');
    await passes(2);
    await setsLevel('free'); // this level has no tokens for services
    await world.passes({ hours: 6 * 24 });
    expect(await storedOf(open)).toBeGreaterThan(0);
    const others = await Promise.all([lapsed(), lapsed(), lapsed(), lapsed()]);

    await db.transaction(async (tx) => {
      for (const user_id of others) await takeHome(tx, user_id); // nothing of them is to be deleted, so nobody waits for them
      await world.passes({ hours: 7 * 24 });
      await comesTrue(async () => expect(await storedOf(open, tx)).toBe(0)); // asked by `tx`, which ends when it is idle for too long
    });

    await setsLevel('business');
    await shop.getsToken();
    expect(await shop.flows.reads(open)).toMatchObject({ status: 'cancelled', answers: [] });
  });

  it('is cancelled together with others without a deadlock while their phones are informed', async () => {
    const isBefore = async (one_id: string, other_id: string) =>
      (await one<{ before: boolean }>(db, sql`select ${one_id}::text < ${other_id}::text as before`))!.before;
    const customers = [await connected(), await connected()];
    const inOrder = await isBefore(customers[0]!.person.user_id, customers[1]!.person.user_id);
    const [low, high] = (inOrder ? customers : customers.toReversed()) as [Customer, Customer];
    const first = await starts(high.connection);
    let second = await starts(low.connection);
    while (!(await isBefore(first.id, second.id))) {
      await shop.flows.cancels(second);
      second = await starts(low.connection);
    }

    await setsLevel('free');
    await db.transaction(async (tx) => {
      await execute(tx, sql`select from app_event_log where person_user_id = ${low.person.user_id} for update`);
      await world.passes({ hours: 7 * 24 });
      await comesTrue(async () => expect(await lockWaits(tx, 'transactionid')).toBeGreaterThan(0));
      const logs = sql`select person_user_id from app_event_log where person_user_id = ${high.person.user_id} for update skip locked`;
      expect(await many(db, logs)).toHaveLength(1);
    });

    await setsLevel('business');
    await shop.getsToken();
    await comesTrue(async () => expect(await shop.flows.reads(first)).toMatchObject({ status: 'cancelled' }));
  });

  it('is not searched for at companies that never had a level with contract flows', async () => {
    const frontDoor = await world.opensDatabase('front_door');
    const isLapsed = async (user_id: string) =>
      (await one<{ lapsed: boolean }>(
        frontDoor,
        sql`select without_flows_since is not null as lapsed from account where user_id = ${user_id}`,
      ))!.lapsed;
    const never = await world.signsUp({ type: 'company', level: 'basic' });
    await setsLevel('free', never.user_id);

    expect([await isLapsed(never.user_id), await isLapsed(await lapsed())]).toEqual([false, true]);
    await frontDoor.destroy();
  });

  it('is cancelled and loses its data when its service is deleted', async () => {
    const { person, connection } = await connected();
    const run = await person.flows.answers(connection, await starts(connection), { quantity: '2' }, { next_node: 'price' });

    await world.acme.signsIn();
    await world.acme.asks(services.deleteService, { params: { id: shop.service_id! } });

    expect(await storedOf(run)).toBe(0);
    const kept = await one<{ status: string; parties: number }>(
      db,
      sql`
      select status, (select count(*)::int from flow_run_party p where p.run_id = r.run_id) as parties
        from flow_run r where run_id = ${run.id}`,
    );
    expect(kept).toEqual({ status: 'cancelled', parties: 2 });
  });
});
