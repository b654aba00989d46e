import { account, connections, contactData, customerRuns, registry, runs, type FeedEvent, type Run } from '@codase/contracts';
import { sealedFor } from '@codase/actors';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { asksFor, envelope, fileBytes, refused } from '../../sharing/connections/connections-world.ts';
import { customerSide, ORDER, orderWith, publishes, type Turn } from './flow-runs-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';
import { takesMemory } from '../../support/served-files.ts';

describe('runs of a contract flow @spec D2-1 @spec D2-2.2 @spec D2-3 @spec D2-4.2', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let ana: Person;
  let connection: OwnConnection;
  let flow: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 3 });
    await asksFor(world.acme, shop.service_id!, [
      { slug: 'email', label: 'E-mail', type: 'email' },
      { slug: 'scan', label: 'Scan', type: 'document' },
    ]);
    flow = await publishes(world.acme, shop.service_id!, ORDER);
    ({ person: ana, connection } = await connected());
  });
  afterAll(() => world?.close());

  const connected = async (region: 'eu' | 'us' = 'eu') => {
    const person = await world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };
  const starts = (with_: OwnConnection = connection) => shop.flows.starts(flow, { target: { connection_id: with_.id }, flow_version: 1 });
  const eventsOf = async ({ id }: Pick<Run, 'id'>): Promise<FeedEvent[]> => {
    const rows = await many<{ body: FeedEvent }>(
      db,
      sql`select body from feed_event where channel = ${shop.service_id} and body ->> 'flow_run_id' = ${id} order by seq`,
    );
    return rows.map(({ body }) => body);
  };
  const opened = async (reader: { opens(wrapper: string): Promise<string> }, { answers }: Pick<Run, 'answers'>) =>
    Object.fromEntries(await Promise.all(answers.map(async ({ slug, value }) => [slug, await reader.opens(value)])));

  it('start at the entry node, pinned to the version, with an event for the party whose turn it is', async () => {
    const run = await starts();

    expect(run).toEqual({
      id: expect.stringMatching(/^run_/),
      flow_id: flow,
      flow_version: 1,
      service_id: shop.service_id,
      connection_id: connection.id,
      company_user_id: shop.company_user_id,
      bindings: { company: shop.company_user_id, customer: ana.user_id },
      participants: [
        { party_key: 'company', person_user_id: shop.company_user_id, connection_id: null, documents: [] },
        { party_key: 'customer', person_user_id: ana.user_id, connection_id: connection.id, documents: [] },
      ],
      status: 'awaiting_customer',
      current_node: 'order',
      output_mode: 'data_only',
      parties: [
        { key: 'company', label: 'Acme' },
        { key: 'customer', label: 'Customer' },
      ],
      answers: [],
      definition: ORDER,
      reference_date: world.now.toISOString().slice(0, 10),
      private_slugs: [],
      owner_tag_values: null,
      tag_values: null,
      source_files: {},
    });
    expect(await shop.flows.reads(run)).toEqual(run);
    const { party_keys, ...seen } = await ana.flows.reads(connection, run);
    expect(seen).toEqual(run);
    expect(party_keys).toEqual({ [shop.company_user_id]: shop.public_key, [ana.user_id]: ana.public_key });
    expect(await eventsOf(run)).toEqual([
      {
        event: 'flow_run_turn',
        person_user_id: ana.user_id,
        share_code: ana.share_code,
        flow_run_id: run.id,
        awaiting_party: 'customer',
        at: expect.any(String),
      },
    ]);
  });

  it.each(['eu', 'us'] as const)('are played turn by turn with a person in %s, and share the answers when completed', async (region) => {
    const { person, connection: own } = await connected(region);
    const listening = person.phone.listens();
    await listening.hears('reset');
    const run = await starts(own);

    const answered = await person.flows.answers(
      own,
      run,
      { quantity: '3', email: { text: 'ana@example.org', source_private: true } },
      { next_node: 'price' },
    );
    expect(answered).toMatchObject({ status: 'awaiting_company', current_node: 'price', private_slugs: ['email'], connection_id: own.id });
    expect(answered.answers.map(({ for_user_id }) => for_user_id)).toEqual([person.user_id, person.user_id]);
    expect(await opened(person, answered)).toEqual({ quantity: '3', email: 'ana@example.org' });

    const priced = await shop.flows.answers(await shop.flows.reads(run), { price: '36' }, { next_node: 'confirm' }, [person]);
    expect(await opened(shop, priced)).toEqual({ quantity: '3', email: 'ana@example.org', price: '36' });
    expect((await shop.flows.list({ status: 'awaiting_customer' })).map(({ id }) => id)).toContain(run.id);
    expect(await person.flows.list(own, { status: 'awaiting_customer' })).toEqual([
      { id: run.id, flow_id: flow, status: 'awaiting_customer', current_node: 'confirm' },
    ]);

    const done = await person.flows.answers(own, run, { agreed: 'yes' }, { leaf: true });
    expect(done).toMatchObject({ status: 'completed', current_node: null });
    expect((await eventsOf(run)).map((event) => ('awaiting_party' in event ? event.awaiting_party : event.event))).toEqual([
      'customer',
      'company',
      'customer',
      'flow_completed',
    ]);
    expect((await listening.hears('flow_completed')).data).toEqual({ flow_run_id: run.id, connection_id: own.id });
    await listening.leaves();
    const shared = await shop.asks(connections.readConnection, { params: { connectionId: own.id } });
    expect(await shop.opens(shared.values['email']!.value!)).toBe('ana@example.org');
    expect(shared.values_private).toEqual({ email: true });
  });

  it('are played by a company as a customer, with events of its turns on its own feed', async () => {
    const firms = orderWith(({ parties }) => void (parties[1] = { key: 'firm', label: 'Firm', type: 'company' }));
    for (const node of firms.nodes) if (node.party === 'customer') node.party = 'firm';
    const [own, bolt] = [await publishes(world.acme, shop.service_id!, firms), world.boltAutomation.asCustomer];
    const firm = await bolt.connections.connects('ACME/SHOP');
    const heard: unknown[] = [];
    const hears = async (count: number) => {
      await comesTrue(async () => {
        heard.push(...(await bolt.drains()).map(({ event }) => event));
        expect(heard).toHaveLength(count);
      });
    };

    const run = await shop.flows.starts(own, { targets: { firm: { connection_id: firm.id } } });
    await hears(1);
    await bolt.flows.answers(firm, run, { quantity: '9' }, { next_node: 'price' });
    await shop.flows.answers(run, { price: '1' }, { next_node: 'confirm' }, [world.bolt]);
    await bolt.flows.answers(firm, run, { agreed: 'yes' }, { leaf: true });

    await hears(3);
    expect(heard).toEqual(['flow_run_turn', 'flow_run_turn', 'flow_completed']);
    const read = await bolt.flows.reads(firm, run);
    expect(read).toMatchObject({ status: 'completed', connection_id: firm.id });
    expect(await opened(world.bolt, read)).toEqual({ quantity: '9', price: '1', agreed: 'yes' });
  });

  describe('with files', () => {
    const copies = async (person: Person, upload: (for_user_id: string, value: string) => Promise<{ file: string }>, words: string) => {
      const recipients = { [shop.company_user_id]: shop, [person.user_id]: person };
      const uploaded = Object.entries(recipients).map(async ([for_user_id, recipient]) => {
        const { file } = await upload(for_user_id, await shop.sealsFor(recipient, words));
        return { for_user_id, value: JSON.stringify({ _enc_file: file }) };
      });
      return Promise.all(uploaded);
    };

    it.each(['eu', 'us'] as const)('store a copy for each party from a person in %s, readable only by that party', async (region) => {
      const { person, connection: own } = await connected(region);
      const run = await starts(own);
      const params = { connectionId: own.id, runId: run.id };
      const words = `scan ${'x'.repeat(400_000)}`;
      const values = await copies(
        person,
        (for_user_id, value) => person.asks(customerRuns.uploadCustomerAnswerFile, { params, body: { slug: 'scan', for_user_id, value } }),
        words,
      );
      const fileFor = (user_id: string) => JSON.parse(values.find(({ for_user_id }) => for_user_id === user_id)!.value)._enc_file as string;
      const reads = (file: string) => person.asks(customerRuns.readCustomerAnswerFile, { params: { ...params, file } });
      const notFound = refused('flows.file_not_found', 404);
      await expect(reads(fileFor(person.user_id))).rejects.toEqual(notFound);

      const body = { answers: [{ slug: 'scan', values }], next_node: 'price' };
      await person.asks(customerRuns.answerCustomerRun, { params, body });

      expect(await person.opens(((await reads(fileFor(person.user_id))) as { value: string }).value)).toBe(words);
      await expect(reads(fileFor(shop.company_user_id))).rejects.toEqual(notFound);
      const ofSlot = (slug: string) => shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug } });
      expect(await shop.opens(((await ofSlot('scan')) as { value: string }).value)).toBe(words);
      await expect(ofSlot('quantity')).rejects.toEqual(notFound);
      await shop.flows.answers(run, {}, { next_node: 'confirm' }, [person]);
      await person.flows.answers(own, run, {}, { leaf: true });
      const { fields } = await shop.asks(connections.readConnection, { params: { connectionId: own.id } });
      const ofRow = { connectionId: own.id, serviceFieldId: fields.find(({ slug }) => slug === 'scan')!.service_field_id };
      const shared = (await shop.asks(connections.readSlotFile, { params: ofRow })) as { value: string };
      expect(await shop.opens(shared.value)).toBe(words);
      const noRun = shop.asks(runs.readAnswerFile, { params: { runId: 'run_nowhere', slug: 'scan' } });
      await expect(noRun).rejects.toEqual(refused('flows.run_not_found', 404));
    });
  });

  it.each(['eu', 'us'] as const)('serve the current content of a file that a person in %s has linked', async (region) => {
    const { person, connection: own } = await connected(region);
    const ofLink = { connectionId: own.id, flowId: flow, slug: 'scan' };
    const readsLink = (change = {}) => shop.asks(connections.readLinkedFile, { params: { ...ofLink, ...change } });
    await person.asks(registry.putContactField, { params: { slug: 'passport_scan' }, body: { label: 'Scan', type: 'document' } });
    const shows = (text: string, is_private = false) =>
      person.asks(contactData.putContactData, { params: { slug: 'passport_scan' }, body: { value: text, is_private } });
    const links = async (words: string) => {
      const run = await starts(own);
      const answers = [await person.flows.attaches(own, run, 'scan', words, 'passport_scan')];
      return customerSide(person, own).answer(run.id, { answers, next_node: 'price' } as Turn);
    };
    const notFound = refused('company_data.file_not_found', 404);

    const PDF = `%PDF ${'x'.repeat(300_000)}`;
    const shown = async () => Buffer.from(((await readsLink()) as { bytes: Uint8Array }).bytes).toString();
    await shows(JSON.stringify(envelope('application/pdf', PDF)));
    await expect(readsLink()).rejects.toEqual(notFound);
    const run = await links('as it was');
    expect(JSON.parse(run.answers[0]!.value)).toMatchObject({ _link: 1 });
    expect(await shown()).toBe(PDF);
    const giveBack = takesMemory();
    await expect(readsLink().finally(giveBack)).rejects.toEqual(refused('service.overloaded', 503));
    await shows(JSON.stringify(envelope('application/pdf', '%PDF, changed since')));
    expect(await shown()).toBe('%PDF, changed since');
    for (const empty of ['{}', 'null', '']) {
      await shows(empty);
      await expect(readsLink()).rejects.toEqual(notFound);
    }
    await shows(await person.sealsFor(person, 'as it was'), true);
    expect(await shop.opens(((await readsLink()) as { value: string }).value)).toBe('as it was');
    await links('linked anew');
    expect(await shop.opens(((await readsLink()) as { value: string }).value)).toBe('linked anew');

    await expect(readsLink({ connectionId: 'conn_nowhere' })).rejects.toEqual(refused('company_data.connection_not_found', 404));
    await expect(readsLink({ flowId: 'flow_nowhere' })).rejects.toEqual(refused('flows.not_found', 404));
    await expect(readsLink({ slug: 'quantity' })).rejects.toEqual(notFound);

    await person.fields.edits('first_name', 'Ana');
    const next = await starts(own);
    const answers = [await person.flows.attaches(own, next, 'scan', 'a name', 'first_name')];
    const fromName = customerSide(person, own).answer(next.id, { answers, next_node: 'price' } as Turn);
    await expect(fromName).rejects.toEqual(refused('flows.answer_invalid', 400));
    await person.fields.deletes('passport_scan');
    await expect(readsLink()).rejects.toEqual(notFound);
    await person.asks(registry.deleteContactField, { params: { slug: 'passport_scan' } });
    await person.asks(registry.putContactField, { params: { slug: 'passport_scan' }, body: { label: 'No scan', type: 'text' } });
    await shows('no file');
    await expect(readsLink()).rejects.toEqual(notFound);
  });

  it('serve a linked file while the region still deletes rows of the customer, who has moved', async () => {
    const { person, connection: own } = await connected('us');
    await person.asks(registry.putContactField, { params: { slug: 'passport_scan' }, body: { label: 'Scan', type: 'document' } });
    const value = JSON.stringify(envelope('application/pdf', '%PDF'));
    await person.asks(contactData.putContactData, { params: { slug: 'passport_scan' }, body: { value, is_private: false } });
    const run = await starts(own);
    const answers = [await person.flows.attaches(own, run, 'scan', '%PDF', 'passport_scan')];
    await customerSide(person, own).answer(run.id, { answers, next_node: 'price' } as Turn);
    await execute(
      db,
      sql`
      insert into profile select (jsonb_populate_record(p, jsonb_build_object('user_id', ${person.user_id}::text,
          'share_code', 'MOVED', 'home', 'arriving'))).* from profile p where user_id = ${ana.user_id}`,
    );

    const read = await shop.asks(connections.readLinkedFile, { params: { connectionId: own.id, flowId: flow, slug: 'scan' } });
    expect(Buffer.from((read as { bytes: Uint8Array }).bytes).toString()).toBe('%PDF');
    await execute(db, sql`delete from profile where user_id = ${person.user_id}`);
  });

  it.each(['eu', 'us'] as const)('show the images of their version to a customer in %s until the flow is deleted', async (region) => {
    const { person, connection: own } = await connected(region);
    const { acme } = world;
    const pictured = orderWith(({ nodes }) => void nodes[0]!.elements.push({ kind: 'image', asset_key: 'logo' }));
    const draft = await acme.flows.begins(shop.service_id!);
    const picture = (text: string) => envelope('image/png', text);
    await acme.flows.uploads(draft, 'logo', picture(`pixels ${'x'.repeat(200_000)}`));
    await acme.flows.uploads(draft, 'unused', picture('shown nowhere'));
    const { id } = await acme.flows.publishes(shop.service_id!, pictured, draft);
    const run = await shop.flows.starts(id, { target: { connection_id: own.id } });
    await acme.flows.uploads(draft, 'logo', picture('another'));
    const reads = (assetKey: string, runId = run.id, connectionId = own.id) =>
      person.asks(customerRuns.readStepImage, { params: { connectionId, runId, assetKey } });

    const { content_type, bytes } = await reads('logo');

    expect([content_type, Buffer.from(bytes)]).toEqual(['image/png', fileBytes('image/png', `pixels ${'x'.repeat(200_000)}`)]);
    const releases = takesMemory();
    await expect(reads('logo').finally(releases)).rejects.toMatchObject({ key: 'service.overloaded' });
    for (const hidden of ['unused', 'nothing']) await expect(reads(hidden)).rejects.toEqual(refused('flows.file_not_found', 404));
    await expect(reads('logo', 'run_nowhere')).rejects.toEqual(refused('flows.run_not_found', 404));
    await expect(reads('logo', run.id, connection.id)).rejects.toEqual(refused('company_data.connection_not_found', 404));

    await shop.flows.cancels(run);
    expect(await reads('logo')).toMatchObject({ content_type: 'image/png' });
    await acme.flows.deletes({ id });
    await expect(reads('logo')).rejects.toEqual(refused('flows.file_not_found', 404));
  });

  it('carry the verification of a field that an answer is linked from', async () => {
    await ana.fields.edits('email', 'ana@example.org');
    const provider = await world.registersProvider();
    const verified = await provider.verifies(ana, 'email', 'ana@example.org');
    const run = await starts();

    await ana.flows.answers(connection, run, { email: { text: 'ana@example.org', from: 'email' }, quantity: '1' }, { next_node: 'price' });

    const { answers } = await shop.flows.reads(run);
    expect(answers.find(({ slug }) => slug === 'email')).toMatchObject(verified);
    expect(Object.keys(answers.find(({ slug }) => slug === 'quantity')!).sort()).toEqual(['for_user_id', 'slug', 'value']);
  });

  it('refuse an answer with a file that is being deleted as abandoned', async () => {
    const run = await starts();
    const answers = [await ana.flows.attaches(connection, run, 'scan', 'too late')];

    let turn: Promise<unknown> | undefined;
    await inOwnTransaction(db, async (tx) => {
      await execute(tx, sql`delete from flow_run_file where run_id = ${run.id}`);
      turn = customerSide(ana, connection).answer(run.id, { answers, next_node: 'price' });
      turn.catch(() => undefined);
      await comesTrue(async () => expect(await lockWaits(tx, 'transactionid')).toBeGreaterThan(0));
    });

    await expect(turn).rejects.toEqual(refused('flows.answer_invalid', 400));
    expect(await shop.flows.reads(run)).toMatchObject({ status: 'awaiting_customer', answers: [] });
  });

  it('accept only one of two concurrent submissions of a turn', async () => {
    const run = await starts();
    const party_keys = { [shop.company_user_id]: shop.public_key, [ana.user_id]: ana.public_key };
    const body = { answers: await sealedFor(party_keys, { quantity: '1' }), next_node: 'price' };
    const { answer } = customerSide(ana, connection);

    const both = await Promise.allSettled([answer(run.id, body), answer(run.id, body)]);

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused('flows.not_your_turn', 403) });
    expect((await eventsOf(run)).map(({ event }) => event)).toEqual(['flow_run_turn', 'flow_run_turn']);
  });

  it('continue in the new region after their company has moved', async () => {
    const { person, connection: own } = await connected();
    const run = await person.flows.answers(own, await starts(own), { quantity: '3' }, { next_node: 'price' });
    const before = await shop.flows.reads(run);

    await world.acme.asks(account.migrateRegion, { body: { password: world.acme.password, region: 'us' } });

    await comesTrue(async () => {
      await world.passes({ seconds: 1 });
      expect((await shop.getsToken()).api_url).toBe(world.regionUrl('us'));
      expect(await shop.flows.reads(run)).toEqual(before);
      await shop.flows.answers(before, { price: '1' }, { next_node: 'confirm' }, [person]);
    });
    expect(await person.flows.answers(own, run, { agreed: 'yes' }, { leaf: true })).toMatchObject({ status: 'completed' });
  });
});
