import { ownerRuns, RUN_ANSWER_BYTES, runs, UPLOAD_CHARS, type Run } from '@codase/contracts';
import { sealedFor } from '@codase/actors';
import { execute, many, sql } from '@codase/runtime/db';
import { World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { customerSide, ORDER, ownerSide, publishes, serviceSide, type Side, type Turn, type Upload } from './flow-runs-world.ts';

/** A step of a run: the side whose turn it is, and what that side can send there. */
interface Step {
  side: () => Side;
  other: () => Side;
  slug: string;
  file: string;
  next_node: string;
  wrong_node: string;
}

describe('refusals of a turn @spec D2-5 @spec D2-7', () => {
  let world: World;
  let shop: Backend;
  let db: DataSource;
  let ana: Person;
  let connection: OwnConnection;
  let flow: string;
  const at: Record<'customer' | 'company', Run> = {} as never;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    db = await world.opensDatabase('region_eu', { pool: 2 });
    flow = await publishes(world.acme, shop.service_id!, ORDER);
    ana = await world.signsUp({ type: 'person' });
    connection = await ana.connections.connects('ACME/SHOP');
    at.customer = await starts();
    at.company = await toCompany(await starts());
  });
  afterAll(() => world?.close());

  const starts = (own = connection) => shop.flows.starts(flow, { target: { connection_id: own.id } });
  const toCompany = (run: Run, person = ana, own = connection) => person.flows.answers(own, run, {}, { next_node: 'price' });
  const service = () => serviceSide(shop);
  const owner = () => ownerSide(world.automation, { id: shop.service_id!, flowId: flow });
  const customer = () => customerSide(ana, connection);
  const ofCustomer = { slug: 'quantity', file: 'scan', next_node: 'price', wrong_node: 'confirm' };
  const ofCompany = { slug: 'price', file: 'offer', next_node: 'confirm', wrong_node: 'order' };
  const STEPS: [keyof typeof at, string, Step][] = [
    ['customer', 'a person', { side: customer, other: service, ...ofCustomer }],
    ['company', 'the service', { side: service, other: customer, ...ofCompany }],
    ['company', 'the automation', { side: owner, other: customer, ...ofCompany }],
  ];

  describe.each(STEPS)('at the step of the %s, submitted by %s', (party, _, { side, other, slug, file, next_node, wrong_node }) => {
    const answersTo = (question = slug) =>
      sealedFor({ [shop.company_user_id]: shop.public_key, [ana.user_id]: ana.public_key }, { [question]: '1' });
    const submits = async (change: Partial<Turn> = {}, id = at[party].id) =>
      side().answer(id, { answers: await answersTo(), next_node, ...change });
    const [answered, copied] = [
      async (change: object) => [{ ...(await answersTo())[0]!, ...change }],
      async (value: string) => (await answersTo())[0]!.values.map((copy) => ({ ...copy, value })),
    ];
    const uploads = async (change: Partial<Upload> = {}, id = at[party].id) =>
      side().upload(id, { slug: file, for_user_id: ana.user_id, value: await shop.sealsFor(ana, 'a scan'), ...change });

    it('refuses invalid answers', async () => {
      const [invalid, missing] = [refused('flows.answer_invalid', 400), refused('flows.answer_party_missing', 400)];
      const plaintext = refused('contact_data.encryption_required', 400);
      const { values } = (await answersTo())[0]!;
      const stranger = [...values, { ...values[0]!, for_user_id: 'usr_nobody' }];

      await expect(submits({ answers: await answered({ slug: '' }) })).rejects.toEqual(invalid);
      await expect(submits({ answers: await answersTo('agreed') })).rejects.toEqual(invalid);
      await expect(submits({ answers: [...(await answersTo()), ...(await answersTo())] })).rejects.toEqual(invalid);
      await expect(submits({ answers: await answered({ source_private: 'yes' }) })).rejects.toEqual(invalid);
      await expect(submits({ answers: await answersTo(file) })).rejects.toEqual(invalid);
      await expect(submits({ answers: await answered({ slug: file, values: await copied('{"_enc_file":"file_1"}') }) })).rejects.toEqual(
        invalid,
      );
      await expect(submits({ answers: await answered({ values: values.slice(1) }) })).rejects.toEqual(missing);
      await expect(submits({ answers: await answered({ values: stranger }) })).rejects.toEqual(refused('flows.answer_party_invalid', 400));
      await expect(submits({ answers: await answered({ values: await copied('1') }) })).rejects.toEqual(plaintext);
      await expect(submits({ answers: await answered({ values: await copied('{"_enc_file":"file_1"}') }) })).rejects.toEqual(plaintext);
      await expect(submits({ answers: 'none' as never })).rejects.toEqual(refused('request.invalid', 400));
      expect(await side().read(at[party].id)).toMatchObject({ status: `awaiting_${party}`, answers: [] });
    });

    it("refuses answers that exceed the total size of a run's answers", async () => {
      const [run_id, for_user_id] = [at[party].id, ana.user_id];
      const others = await many(
        db,
        sql`
        insert into flow_run_answer (answer_id, company_user_id, run_id, slug, for_user_id, value, source_private, verification,
                                     answered_at)
        select ${run_id} || n, ${shop.company_user_id}, ${run_id}, 'earlier_' || n, ${for_user_id}, repeat('x', ${RUN_ANSWER_BYTES / 4}),
               false, '{}', ${world.now}
          from generate_series(1, 4) as n returning answer_id`,
      );
      expect(others).toHaveLength(4);

      await expect(submits({ answers: await answersTo() })).rejects.toEqual(refused('request.too_large', 413));
      await execute(db, sql`delete from flow_run_answer where run_id = ${run_id}`);
    });

    it('refuses a wrong next node', async () => {
      const wrong = refused('flows.next_node_invalid', 400);

      await expect(submits({ next_node: wrong_node })).rejects.toEqual(wrong);
      await expect(submits({ next_node: undefined as never, leaf: true })).rejects.toEqual(wrong);
      await expect(submits({ next_node: undefined as never })).rejects.toEqual(wrong);
    });

    it('refuses invalid files', async () => {
      await expect(uploads({ slug })).rejects.toEqual(refused('flows.answer_invalid', 400));
      await expect(uploads({ for_user_id: 'usr_nobody' })).rejects.toEqual(refused('flows.answer_party_invalid', 400));
      await expect(uploads({ value: 'a scan' })).rejects.toEqual(refused('contact_data.encryption_required', 400));
      await expect(uploads({ value: 'x'.repeat(UPLOAD_CHARS + 1) })).rejects.toEqual(refused('flows.answer_file_too_large', 400));
      await expect(uploads({ slug: 'not a slug' })).rejects.toEqual(refused('request.invalid', 400));
      expect(await uploads()).toEqual({ file: expect.stringMatching(/^file_/) });
    });

    it("refuses another party's turn, an unknown run and an ended run", async () => {
      const [notFound, notAwaiting] = [refused('flows.run_not_found', 404), refused('flows.run_not_awaiting', 409)];
      const body = { answers: [], next_node };
      const upload = { slug: file, for_user_id: ana.user_id, value: await shop.sealsFor(ana, 'a scan') };
      const notTheirs = refused('flows.not_your_turn', 403);

      await expect(other().answer(at[party].id, body)).rejects.toEqual(notTheirs);
      await expect(other().upload(at[party].id, upload)).rejects.toEqual(notTheirs);
      await expect(submits({}, 'run_nowhere')).rejects.toEqual(notFound);
      await expect(uploads({}, 'run_nowhere')).rejects.toEqual(notFound);
      await expect(side().read('run_nowhere')).rejects.toEqual(notFound);
      await expect(other().pass!(at[party].id)).rejects.toEqual(notTheirs);
      await expect(side().list({ cursor: 'nowhere' })).rejects.toEqual(refused('request.invalid', 400));
      await expect(side().list({ status: 'awaiting_\0' })).rejects.toEqual(refused('request.invalid', 400));
      const over = await shop.flows.cancels(await starts());
      await expect(submits({}, over.id)).rejects.toEqual(notAwaiting);
      await expect(uploads({}, over.id)).rejects.toEqual(notAwaiting);
    });

    it('issues a plugin pass without plugins, and none for an ended or unknown run', async () => {
      const over = await shop.flows.cancels(await starts());
      const { pass } = party === 'customer' ? customer() : service();

      expect(await pass!(at[party].id)).toMatchObject({ plugins: [], specs: {} });
      await expect(pass!('run_nowhere')).rejects.toEqual(refused('flows.run_not_found', 404));
      await expect(pass!(over.id)).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    });
  });

  it("refuses the company's automation at the step of the customer", async () => {
    const notTheirs = refused('flows.not_your_turn', 403);
    await expect(owner().answer(at.customer.id, { answers: [], next_node: 'price' })).rejects.toEqual(notTheirs);
    const upload = { slug: 'scan', for_user_id: ana.user_id, value: await shop.sealsFor(ana, 'a scan') };
    await expect(owner().upload(at.customer.id, upload)).rejects.toEqual(notTheirs);
  });

  it('refuses every write while an account that takes part is being deleted, and allows reads', async () => {
    const ben = await world.signsUp({ type: 'person' });
    const bens = await ben.connections.connects('ACME/SHOP');
    const run = await toCompany(await starts(bens), ben, bens);
    await execute(db, sql`insert into deleted_account (user_id, deleted_at) values (${ben.user_id}, ${world.now})`);
    const deleted = refused('account.counterparty_deleted', 409);
    const upload = { slug: 'offer', for_user_id: ben.user_id, value: await shop.sealsFor(ben, 'a scan') };

    for (const side of [service(), owner(), customerSide(ben, bens)]) {
      await expect(side.answer(run.id, { answers: [], next_node: 'confirm' })).rejects.toEqual(deleted);
      await expect(side.upload(run.id, upload)).rejects.toEqual(deleted);
      expect(await side.read(run.id)).toMatchObject({ status: 'awaiting_company' });
    }
    for (const { pass } of [serviceSide(shop), customerSide(ben, bens)]) await expect(pass!(run.id)).rejects.toEqual(deleted);
    const params = { id: shop.service_id!, flowId: flow };
    const start = { target: { connection_id: bens.id } };
    await expect(starts(bens)).rejects.toEqual(deleted);
    await expect(world.automation.asks(ownerRuns.startOwnRun, { params, body: start })).rejects.toEqual(deleted);
    await expect(shop.flows.cancels(run)).rejects.toEqual(deleted);
    await expect(world.automation.asks(ownerRuns.cancelOwnRun, { params: { ...params, runId: run.id } })).rejects.toEqual(deleted);
  });

  it('refuses a plugin pass when the definition does not have the current node', async () => {
    const run = await toCompany(await starts());
    await execute(db, sql`update flow_run set current_node = 'nowhere' where run_id = ${run.id}`);
    const invalid = refused('flows.definition_invalid', 422);

    await expect(service().pass!(run.id)).rejects.toEqual(invalid);
    await execute(db, sql`update flow_run set status = 'awaiting_customer' where run_id = ${run.id}`);
    await expect(customer().pass!(run.id)).rejects.toEqual(invalid);
  });

  it('refuses a run of another service, flow or connection as not found', async () => {
    const { id } = at.customer;
    const elsewhere = ownerSide(world.automation, { id: world.boltShop.service_id!, flowId: flow });
    const otherFlow = ownerSide(world.automation, { id: shop.service_id!, flowId: 'flow_nowhere' });
    const stranger = customerSide(ana, { id: 'conn_nowhere' });
    const body = { answers: [], next_node: 'price' };
    const upload = { slug: 'scan', for_user_id: ana.user_id, value: await shop.sealsFor(ana, 'a scan') };

    await expect(world.boltShop.asks(runs.readRun, { params: { runId: id } })).rejects.toEqual(refused('flows.run_not_found', 404));
    for (const [side, refusal] of [
      [elsewhere, refused('services.not_found', 404)],
      [otherFlow, refused('flows.not_found', 404)],
      [stranger, refused('company_data.connection_not_found', 404)],
    ] as const) {
      await expect(side.read(id)).rejects.toEqual(refusal);
      await expect(side.list()).rejects.toEqual(refusal);
      await expect(side.answer(id, body)).rejects.toEqual(refusal);
      await expect(side.upload(id, upload)).rejects.toEqual(refusal);
    }
    await expect(stranger.pass!(id)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    const files = [
      [world.automation, { id: world.boltShop.service_id!, flowId: flow }, 'services.not_found'],
      [world.automation, { id: shop.service_id!, flowId: 'flow_nowhere' }, 'flows.not_found'],
    ] as const;
    for (const [by, of, key] of files) {
      const params = { ...of, runId: id, sourceKey: 'conn:customer:register' };
      await expect(by.asks(ownerRuns.readOwnSourceFile, { params })).rejects.toEqual(refused(key, 404));
      await expect(by.asks(ownerRuns.cancelOwnRun, { params: { ...of, runId: id } })).rejects.toEqual(refused(key, 404));
    }
  });
});
