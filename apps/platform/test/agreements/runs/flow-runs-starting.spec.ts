import {
  contactData,
  customer,
  customerRuns,
  OPERATOR,
  ownerRuns,
  registry,
  runs,
  SHARED_ONCE_FILE_DAYS,
  UPLOAD_CHARS,
  type FlowDefinition,
  type Level,
  type Request,
} from '@codase/contracts';
import { sealedFor } from '@codase/actors';
import { execute } from '@codase/runtime/db';
import { createHash } from 'node:crypto';
import { World, type Backend, type Company, type OwnConnection, type Person } from '@codase/testing';
import { text } from '@codase/testing/flow-definition';
import { asksFor, envelope, refused } from '../../sharing/connections/connections-world.ts';
import { ORDER, orderWith, publishes } from './flow-runs-world.ts';

type NewRun = Request<typeof runs.startRun>['body'];

const twice = (refusal: unknown) => [refusal, refusal];

/** A contract of a person and a company, whose text shows values, and which is made of a PDF that the person shared. */
const CONTRACT: FlowDefinition = orderWith((definition) => {
  definition.output_mode = 'document';
  definition.parties = [...definition.parties, { key: 'firm', label: 'Firm', type: 'company' }];
  definition.nodes[0]!.elements.push(text('{{customer.email}} {{firm.email}} buys of {{company.company_name}}'));
  definition.nodes[3]!.output = {
    language_party: 'customer',
    documents: [
      {
        output_key: 'contract',
        name: 'Contract',
        rules: [{ source_connection: { party: 'customer', request_slug: 'register' }, languages: 'all' }],
      },
    ],
  };
});

describe('starting a run @spec D2-4.1 @spec D2-7 @spec D2-9', () => {
  let world: World;
  let shop: Backend;
  let ana: Person;
  let bolt: Company;
  let connection: OwnConnection;
  let firm: OwnConnection;
  let elsewhere: OwnConnection;
  let flow: string;
  let contract: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [shop, bolt] = [world.shop, world.bolt];
    await asksFor(world.acme, shop.service_id!, [
      { slug: 'email', label: 'E-mail', type: 'email' },
      { slug: 'register', label: 'Register', type: 'pdf_document' },
    ]);
    flow = await publishes(world.acme, shop.service_id!, ORDER);
    contract = await publishes(world.acme, shop.service_id!, CONTRACT);
    ana = await world.signsUp({ type: 'person' });
    connection = await ana.connections.connects('ACME/SHOP');
    firm = await bolt.connections.connects('ACME/SHOP');
    elsewhere = await ana.connections.connects('BOLT/DESK');
  });
  afterAll(() => world?.close());

  const starts = (flowId: string, body: Partial<NewRun>) => shop.asks(runs.startRun, { params: { flowId }, body: body as NewRun });
  const ofService = (flowId: string) => ({ id: shop.service_id!, flowId });
  const startsOwn = (flowId: string, body: Partial<NewRun>) =>
    world.automation.asks(ownerRuns.startOwnRun, { params: ofService(flowId), body: body as NewRun });
  /** Starts a run by the client of the service and by the automation of the company. Returns the id or the refusal of each. */
  const met = (flowId: string, body: Partial<NewRun>) =>
    Promise.all(
      [starts(flowId, body), startsOwn(flowId, body)].map((start) =>
        start.then(
          ({ id }) => id,
          (error: unknown) => error,
        ),
      ),
    );
  const both = () => ({ customer: { connection_id: connection.id }, firm: { connection_id: firm.id } });
  const digest = (public_key: string) => createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex');
  const tagsFor = async (recipient: { public_key: string }, change = {}) => ({
    recipient_pubkey_sha256: digest(recipient.public_key),
    public: await shop.sealsFor(recipient, '{"customer.email":{"v":"ana@example.org","t":"email"}}'),
    public_tags: ['customer.email'],
    private: {},
    ...change,
  });
  const tagValues = async (): Promise<NonNullable<NewRun['tag_values']>> => ({
    company: await tagsFor(shop),
    [ana.user_id]: await tagsFor(ana, { private: { 'customer.email': await shop.sealsFor(ana, 'private') } }),
    [bolt.user_id]: await tagsFor(bolt),
  });
  /** Shares a PDF once, as the source of the contract. */
  const sharesRegister = async () => {
    const value = await ana.sealsFor(shop, JSON.stringify(envelope('application/pdf', '%PDF-1.7')));
    const shares = { values: [{ slug: 'register', value, live: false, source_private: true }] };
    await ana.asks(customer.changeCustomerConnection, { params: { connectionId: connection.id }, body: shares });
  };
  const stages = async (recipient: { public_key: string }, source_user_id = ana.user_id, flowId = contract) =>
    (await shop.asks(runs.stageRunFile, { params: { flowId }, body: { source_user_id, value: await shop.sealsFor(recipient, 'a PDF') } }))
      .file;

  it.each<[string, () => Partial<NewRun>, Parameters<typeof refused>]>([
    ['of a customer who is not connected', () => ({ target: { connection_id: 'conn_nowhere' } }), ['flows.connection_not_found', 404]],
    ['of the customer of another company', () => ({ target: { connection_id: elsewhere.id } }), ['flows.connection_not_found', 404]],
    ['with nobody', () => ({}), ['flows.bindings_invalid', 400]],
    ['with a body that is none', () => ({ flow_version: 'one' as never }), ['request.invalid', 400]],
    ['with target and targets', () => ({ target: { connection_id: connection.id }, targets: both() }), ['flows.bindings_invalid', 400]],
    ['with a company as a person', () => ({ target: { connection_id: firm.id } }), ['flows.bindings_invalid', 400]],
    ['with a party it does not have', () => ({ targets: both() }), ['flows.bindings_invalid', 400]],
    [
      'with another owner',
      () => ({ target: { connection_id: connection.id }, bindings: { company: ana.user_id } }),
      ['flows.bindings_invalid', 400],
    ],
    ['of an older version', () => ({ target: { connection_id: connection.id }, flow_version: 7 }), ['flows.version_changed', 409]],
    [
      'with a file that nobody asked for',
      () => ({
        target: { connection_id: connection.id },
        source_files: [{ source_key: 'conn:customer:register', for_user_id: ana.user_id, file: 'file_1' }],
      }),
      ['flows.source_files_invalid', 400],
    ],
  ])('is refused: a run %s', async (_, body, refusal) => {
    expect(await met(flow, body())).toEqual(twice(refused(...refusal)));
  });

  it('is refused for a flow that is unknown, of another service or not published', async () => {
    const body = { target: { connection_id: connection.id } };
    const { id } = await world.acme.flows.begins(shop.service_id!);

    expect(await met('flow_nowhere', body)).toEqual(twice(refused('flows.not_found', 404)));
    expect(await met(id, body)).toEqual(twice(refused('flows.not_published', 409)));
    await expect(world.boltShop.asks(runs.startRun, { params: { flowId: flow }, body })).rejects.toEqual(refused('flows.not_found', 404));
  });

  it('is refused while another company has the key of the definition, and succeeds with the next version', async () => {
    const own = await publishes(world.acme, shop.service_id!, ORDER);
    const body = { target: { connection_id: connection.id } };
    const db = await world.opensDatabase('region_eu');
    const planter = await world.signsUp({ type: 'company', region: 'eu' });
    await execute(db)`
      insert into flow_run_definition
      select flow_version_id, ${planter.user_id}, '{}' from flow_version where flow_id = ${own}`;

    expect(await met(own, body)).toEqual(twice(refused('flows.not_published', 409)));
    const another = orderWith(({ nodes }) => void (nodes[0]!.title = 'Another'));
    await publishes(world.acme, shop.service_id!, another, own);
    expect((await starts(own, body)).flow_version).toBe(2);
    await db.destroy();
  });

  it('binds an untyped party to a connected user, but not to the company itself', async () => {
    const untyped = orderWith(({ parties }) => void delete parties[1]!.type);
    const own = await publishes(world.acme, shop.service_id!, untyped);

    expect(await met(own, { bindings: { customer: shop.company_user_id } })).toEqual(twice(refused('flows.no_counterparty', 400)));
    expect(await met(own, { bindings: { customer: 'usr_nobody' } })).toEqual(twice(refused('flows.bindings_invalid', 400)));
    expect((await starts(own, { bindings: { customer: ana.user_id } })).connection_id).toBe(connection.id);
  });

  it("is refused when the company's level does not include contract flows", async () => {
    const operator = await world.operator('platform');
    const has = (level: Level) => operator.request(OPERATOR.setLevel, {}, { user_id: shop.company_user_id, level });

    await has('basic');
    expect(await met(flow, { target: { connection_id: connection.id } })).toEqual(twice(refused('account.level_required', 403)));
    await has('business');
    await starts(flow, { target: { connection_id: connection.id } });
  });

  it('happens once per idempotency key, also when the flow was published again meanwhile', async () => {
    const own = await publishes(world.acme, shop.service_id!, ORDER);
    const body = { target: { connection_id: connection.id }, flow_version: 1, idempotency_key: 'order 7' };

    const [one, other] = await Promise.all([starts(own, body), starts(own, body)]);
    const another = orderWith(({ nodes }) => void (nodes[0]!.title = 'Another'));
    await publishes(world.acme, shop.service_id!, another, own);
    const later = await starts(own, body);

    expect(new Set([one.id, other.id, later.id]).size).toBe(1);
    expect(later.definition).toEqual(ORDER);
    expect((await shop.flows.list()).filter(({ flow_id }) => flow_id === own)).toHaveLength(1);
    await expect(starts(own, { ...body, idempotency_key: 'order 8' })).rejects.toEqual(refused('flows.version_changed', 409));
  });

  it("requires the customers' tag values, sealed to the current key of each recipient", async () => {
    const tags = await tagValues();
    const start = { targets: both(), flow_version: 1, tag_values: tags };
    const withTags = (tag_values: unknown) => starts(contract, { ...start, tag_values: tag_values as never });
    const { company, ...others } = tags;

    const invalid = refused('flows.tag_values_invalid', 400);
    expect(await met(contract, { targets: both(), flow_version: 1 })).toEqual(twice(invalid));
    await expect(starts(contract, { targets: both(), tag_values: tags })).rejects.toEqual(invalid);
    await expect(withTags(others)).rejects.toEqual(invalid);
    await expect(withTags({ ...tags, usr_nobody: company })).rejects.toEqual(invalid);
    await expect(withTags({ ...tags, company: { ...company, public: 'clear' } })).rejects.toEqual(invalid);
    await expect(withTags({ ...tags, company: { ...company, public_tags: ['customer.phone'] } })).rejects.toEqual(invalid);
    await expect(withTags({ ...tags, [bolt.user_id]: tags[ana.user_id] })).rejects.toEqual(invalid);
    const stale = { ...tags, [ana.user_id]: { ...tags[ana.user_id]!, recipient_pubkey_sha256: digest('b2xkIGtleQ==') } };
    const isStale = expect.objectContaining({ key: 'flows.tag_values_stale', extras: { stale: [ana.user_id] } });
    expect(await met(contract, { ...start, tag_values: stale })).toEqual(twice(isStale));
    expect((await shop.flows.list()).filter(({ flow_id }) => flow_id === contract)).toEqual([]);

    const name = { value: 'Acme Ltd', is_private: false, copies: [] };
    await world.acme.asks(contactData.putContactData, { params: { slug: 'company_name' }, body: name });
    const run = await starts(contract, start);

    const { recipient_pubkey_sha256: _, ...shown } = company!;
    expect(run.tag_values).toEqual(shown);
    expect(run.owner_tag_values).toEqual({ 'company.company_name': { v: 'Acme Ltd', t: 'text' } });
    expect((await ana.flows.reads(connection, run)).tag_values?.private).toEqual(tags[ana.user_id]!.private);
    expect((await bolt.asCustomer.flows.reads(firm, run)).tag_values?.private).toEqual({});
  });

  it("includes only the company's public text values, and null when there are none", async () => {
    const own = (slug: string, type: string) =>
      world.acme.asks(registry.putContactField, { params: { slug }, body: { label: slug, type } });
    const puts = (slug: string, value: string, is_private = false) =>
      world.acme.asks(contactData.putContactData, { params: { slug }, body: { value, is_private, copies: [] } });
    await Promise.all([own('house_rules', 'pdf_document'), own('account_number', 'text'), own('motto', 'text')]);
    await puts('house_rules', JSON.stringify(envelope('application/pdf', '%PDF-1.7')));
    await puts('account_number', await world.acme.sealsFor(world.acme, 'secret'), true);
    const words = text('{{company.house_rules}} {{company.account_number}} {{company.motto}} {{company.nothing}}');
    const reported = await publishes(
      world.acme,
      shop.service_id!,
      orderWith(({ nodes }) => void nodes[0]!.elements.push(words)),
    );
    const shown = async () => (await starts(reported, { target: { connection_id: connection.id } })).owner_tag_values;

    expect(await shown()).toBeNull();
    await puts('motto', 'Tools that last');
    expect(await shown()).toEqual({ 'company.motto': { v: 'Tools that last', t: 'text' } });
  });

  it('requires a copy of each source PDF for every party, and each party reads only its own', async () => {
    await sharesRegister();
    const start = { targets: both(), flow_version: 1, tag_values: await tagValues() };
    const needed = [shop.company_user_id, ana.user_id, bolt.user_id].map((for_user_id) => ({
      source_key: 'conn:customer:register',
      for_user_id,
      source_user_id: ana.user_id,
    }));
    const files = [await stages(shop), await stages(ana), await stages(bolt)];
    const source_files = needed.map(({ source_key, for_user_id }, nth) => ({ source_key, for_user_id, file: files[nth]! }));

    await expect(starts(contract, start)).rejects.toMatchObject({
      key: 'flows.source_files_invalid',
      extras: { missing: needed, unexpected: [] },
    });
    const foreign = await stages(shop, bolt.user_id);
    await expect(
      starts(contract, { ...start, source_files: [{ ...source_files[0]!, file: foreign }, ...source_files.slice(1)] }),
    ).rejects.toMatchObject({ key: 'flows.source_files_invalid', extras: { missing: [needed[0]], unexpected: [foreign] } });
    const sealed = await shop.sealsFor(shop, 'a PDF');
    const stage = (body: object, flowId = contract) =>
      shop.asks(runs.stageRunFile, { params: { flowId }, body: { source_user_id: ana.user_id, value: sealed, ...body } });
    const stageOwn = (body: object, flowId = contract, id = shop.service_id!) =>
      world.automation.asks(ownerRuns.stageOwnRunFile, {
        params: { id, flowId },
        body: { source_user_id: ana.user_id, value: sealed, ...body },
      });
    for (const by of [stage, stageOwn]) {
      await expect(by({ source_user_id: 'usr_nobody' })).rejects.toEqual(refused('flows.source_user_invalid', 400));
      await expect(by({}, 'flow_nowhere')).rejects.toEqual(refused('flows.not_found', 404));
      await expect(by({ value: 'a PDF' })).rejects.toEqual(refused('contact_data.encryption_required', 400));
      await expect(by({ value: 'x'.repeat(UPLOAD_CHARS + 1) })).rejects.toEqual(refused('documents.too_large', 400));
      await expect(by({ more: true })).rejects.toEqual(refused('request.invalid', 400));
    }
    await expect(stageOwn({}, contract, world.boltShop.service_id!)).rejects.toEqual(refused('services.not_found', 404));
    expect(await stageOwn({})).toEqual({ file: expect.stringMatching(/^file_/) });

    const run = await starts(contract, { ...start, source_files });

    expect(run.source_files).toEqual({ 'conn:customer:register': files[0] });
    const params = { runId: run.id, sourceKey: 'conn:customer:register' };
    const { value: copy } = (await shop.asks(runs.readSourceFile, { params })) as { value: string };
    expect(await shop.opens(copy)).toBe('a PDF');
    const notFound = refused('flows.file_not_found', 404);
    const noRun = refused('flows.run_not_found', 404);
    const readsOwn = (change: object) =>
      world.automation.asks(ownerRuns.readOwnSourceFile, { params: { ...ofService(contract), ...params, ...change } });
    expect(await readsOwn({})).toEqual({ encrypted: true, value: copy });
    await expect(readsOwn({ sourceKey: 'conn:customer:nothing' })).rejects.toEqual(notFound);
    await expect(readsOwn({ runId: 'run_nowhere' })).rejects.toEqual(noRun);
    const reading = (change: object) => shop.asks(runs.readSourceFile, { params: { ...params, ...change } });
    await expect(reading({ sourceKey: 'conn:customer:nothing' })).rejects.toEqual(notFound);
    await expect(reading({ runId: 'run_nowhere' })).rejects.toEqual(noRun);
    const reads = (by: Person | Company, of: OwnConnection, file: string) =>
      by.asks(customerRuns.readCustomerAnswerFile, { params: { connectionId: of.id, runId: run.id, file } });
    expect(await bolt.opens(((await reads(bolt, firm, files[2]!)) as { value: string }).value)).toBe('a PDF');
    await expect(reads(ana, connection, files[2]!)).rejects.toEqual(notFound);
    await expect(reads(ana, firm, files[1]!)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    const gone = { connectionId: connection.id, runId: 'run_nowhere', file: files[1]! };
    await expect(ana.asks(customerRuns.readCustomerAnswerFile, { params: gone })).rejects.toEqual(noRun);
    await expect(starts(contract, { ...start, source_files })).rejects.toMatchObject({ extras: { unexpected: files } });
  });

  it("is possible for the company's automation, which also reads, answers and cancels the run", async () => {
    const automation = world.automation;
    const params = { id: shop.service_id!, flowId: flow };
    const started = await automation.asks(ownerRuns.startOwnRun, { params, body: { target: { connection_id: connection.id } } });
    await ana.flows.answers(connection, started, { quantity: '1' }, { next_node: 'price' });
    const ofRun = { ...params, runId: started.id };

    const read = await automation.asks(ownerRuns.readOwnRun, { params: ofRun });
    expect(read).toMatchObject({ status: 'awaiting_company', answers: [{ slug: 'quantity', for_user_id: shop.company_user_id }] });
    expect(await automation.asks(ownerRuns.listOwnRuns, { params, query: { status: 'awaiting_company' } })).toEqual({
      items: [{ id: started.id, flow_id: flow, status: 'awaiting_company', current_node: 'price' }],
      next_cursor: null,
    });
    const answers = await sealedFor(shop.flows.partyKeys(read, [ana]), { price: '500' });
    const answered = await automation.asks(ownerRuns.answerOwnRun, { params: ofRun, body: { answers, next_node: 'more' } });
    expect(answered).toMatchObject({ status: 'awaiting_customer', current_node: 'more' });
    expect(await automation.asks(ownerRuns.cancelOwnRun, { params: ofRun })).toMatchObject({ status: 'cancelled', current_node: null });
    await expect(automation.asks(ownerRuns.cancelOwnRun, { params: ofRun })).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    const otherFlow = { ...ofRun, flowId: contract };
    await expect(automation.asks(ownerRuns.readOwnRun, { params: otherFlow })).rejects.toEqual(refused('flows.run_not_found', 404));
    await expect(automation.asks(ownerRuns.cancelOwnRun, { params: otherFlow })).rejects.toEqual(refused('flows.run_not_found', 404));
    const foreign = automation.asks(ownerRuns.startOwnRun, {
      params: { ...params, id: world.boltShop.service_id! },
      body: { target: { connection_id: connection.id } },
    });
    await expect(foreign).rejects.toEqual(refused('services.not_found', 404));
  });

  it('requires no copy of a PDF that was shared once and has expired @spec D1-2.8 @spec D2-4.3.3', async () => {
    await sharesRegister();
    const start = { targets: both(), flow_version: 1, tag_values: await tagValues() };
    await expect(starts(contract, start)).rejects.toEqual(refused('flows.source_files_invalid', 400));

    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 });
    await shop.getsToken();

    expect(await starts(contract, start)).toMatchObject({ status: 'awaiting_customer', source_files: {} });
  });
});
