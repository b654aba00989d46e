import { connections, customerRuns, MARK_VERIFIED, runs, UPLOAD_CHARS, type FeedEvent, type Request, type Run } from '@cds/contracts';
import { sealedFor } from '@cds/actors';
import { verifiedHash } from '@cds/crypto';
import { many, openDatabase, sql } from '@cds/runtime/db';
import { World, type Backend, type OwnConnection, type Person } from '@cds/testing';
import type { DataSource } from 'typeorm';
import { asksFor, refused } from './connections-world.ts';
import { ORDER, publishes } from './flow-runs-world.ts';

type Turn = Request<typeof runs.answerRun>['body'];

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
    db = await openDatabase({ url: world.databaseUrl('region_eu'), name: 'flow-runs-test', pool: 3 });
    await asksFor(world.acme, shop.service_id!, [{ slug: 'email', label: 'E-mail', type: 'email' }]);
    flow = await publishes(world.acme, shop.service_id!, ORDER);
    ({ person: ana, connection } = await connected());
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

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

  it('begin at the entry, pinned to the version, and both sides hear of it', async () => {
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

  it.each(['eu', 'us'] as const)('are played turn by turn with a person of %s, and end with what was gathered', async (region) => {
    const { person, connection: own } = await connected(region);
    const listening = person.phone.listens();
    await listening.hears('reset');
    const run = await starts(own);

    const answered = await person.flows.answers(own, run, { quantity: '3', email: { text: 'ana@example.org', source_private: true } }, { next_node: 'price' });
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
    expect((await listening.hears('flow_completed')).data).toEqual({ flow_run_id: run.id });
    await listening.leaves();
    const shared = await shop.asks(connections.readConnection, { params: { connectionId: own.id } });
    expect(await shop.opens(shared.values['email']!.value!)).toBe('ana@example.org');
    expect(shared.values_private).toEqual({ email: true });
  });

  describe('take files', () => {
    const copies = async (person: Person, upload: (for_user_id: string, value: string) => Promise<{ file: string }>, words: string) => {
      const recipients = { [shop.company_user_id]: shop, [person.user_id]: person };
      const uploaded = Object.entries(recipients).map(async ([for_user_id, recipient]) => {
        const { file } = await upload(for_user_id, await shop.sealsFor(recipient, words));
        return { for_user_id, value: JSON.stringify({ _enc_file: file }) };
      });
      return Promise.all(uploaded);
    };

    it.each(['eu', 'us'] as const)('of a person of %s, a copy for each party, each read by its own alone', async (region) => {
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
    });

    it('of the step alone, for bound parties, within the budget, and when it is their turn', async () => {
      const run = await starts();
      const value = await shop.sealsFor(shop, 'a scan');
      const body = { slug: 'scan', for_user_id: ana.user_id, value };
      const uploads = (change: Partial<typeof body> = {}) =>
        ana.asks(customerRuns.uploadCustomerAnswerFile, {
          params: { connectionId: connection.id, runId: run.id },
          body: { ...body, ...change },
        });

      await expect(uploads({ slug: 'quantity' })).rejects.toEqual(refused('flows.answer_invalid', 400));
      await expect(uploads({ slug: 'price' })).rejects.toEqual(refused('flows.answer_invalid', 400));
      await expect(uploads({ for_user_id: 'usr_nobody' })).rejects.toEqual(refused('flows.answer_party_invalid', 400));
      await expect(uploads({ value: 'a scan' })).rejects.toEqual(refused('contact_data.encryption_required', 400));
      await expect(uploads({ value: 'x'.repeat(UPLOAD_CHARS + 1) })).rejects.toEqual(refused('flows.answer_file_too_large', 400));
      const byShop = () => shop.asks(runs.uploadAnswerFile, { params: { runId: run.id }, body });
      await expect(byShop()).rejects.toEqual(refused('flows.not_your_turn', 403));
      await shop.flows.cancels(run);
      await expect(uploads()).rejects.toEqual(refused('flows.run_not_awaiting', 409));
      await expect(byShop()).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    });
  });

  it('carry what was verified of the field that an answer is linked from', async () => {
    await ana.fields.edits('email', 'ana@example.org');
    const verification = {
      verified_hash: await verifiedHash('c2FsdA==', 'ana@example.org'),
      verified_salt: 'c2FsdA==',
      verified_at: '2026-01-02T03:04:05.000Z',
      verified_expires_at: null,
      verified_method: 'document',
      verified_provider: 'idco',
      verification_id: 'ver_1',
    };
    const operator = await world.operator('platform');
    await operator.request(MARK_VERIFIED, { region: 'eu' }, { user_id: ana.user_id, field: 'email', verification });
    const run = await starts();

    await ana.flows.answers(connection, run, { email: { text: 'ana@example.org', from: 'email' }, quantity: '1' }, { next_node: 'price' });

    const { answers } = await shop.flows.reads(run);
    expect(answers.find(({ slug }) => slug === 'email')).toMatchObject(verification);
    expect(Object.keys(answers.find(({ slug }) => slug === 'quantity')!).sort()).toEqual(['for_user_id', 'slug', 'value']);
  });

  describe('refuse a turn', () => {
    let run: Run;
    beforeAll(async () => {
      run = await starts();
    });
    const keys = () => ({ [shop.company_user_id]: shop.public_key, [ana.user_id]: ana.public_key });
    const turn = async (change: Partial<Turn> = {}): Promise<Turn> => ({
      answers: await sealedFor(keys(), { quantity: '1' }),
      next_node: 'price',
      ...change,
    });
    const submits = (body: Turn, at = run, by = connection) =>
      ana.asks(customerRuns.answerCustomerRun, { params: { connectionId: by.id, runId: at.id }, body });
    const first = async () => (await turn()).answers![0]!;

    it.each<[string, () => Promise<Partial<Turn>>, Parameters<typeof refused>]>([
      ['without a slug', async () => ({ answers: [{ ...(await first()), slug: '' }] }), ['flows.answer_invalid', 400]],
      ['of a question of another step', async () => ({ answers: [{ ...(await first()), slug: 'price' }] }), ['flows.answer_invalid', 400]],
      ['answered twice', async () => ({ answers: [await first(), await first()] }), ['flows.answer_invalid', 400]],
      [
        'whose privacy is no boolean',
        async () => ({ answers: [{ ...(await first()), source_private: 'yes' as never }] }),
        ['flows.answer_invalid', 400],
      ],
      [
        'linked from a field that is not there',
        async () => ({ answers: [{ ...(await first()), source_field: 'nowhere' } as never] }),
        ['flows.answer_invalid', 400],
      ],
      [
        'without a copy for the company',
        async () => ({ answers: [{ ...(await first()), values: (await first()).values.slice(1) }] }),
        ['flows.answer_party_missing', 400],
      ],
      [
        'with a copy for a stranger',
        async () => ({
          answers: [{ ...(await first()), values: [...(await first()).values, { for_user_id: 'usr_nobody', value: (await first()).values[0]!.value }] }],
        }),
        ['flows.answer_party_invalid', 400],
      ],
      [
        'in the clear',
        async () => ({ answers: [{ ...(await first()), values: (await first()).values.map((copy) => ({ ...copy, value: '1' })) }] }),
        ['contact_data.encryption_required', 400],
      ],
      [
        'that is a file where none is asked for',
        async () => ({
          answers: [{ ...(await first()), values: (await first()).values.map((copy) => ({ ...copy, value: '{"_enc_file":"file_1"}' })) }],
        }),
        ['contact_data.encryption_required', 400],
      ],
      [
        'that is no file where one is asked for',
        async () => ({ answers: [{ ...(await first()), slug: 'scan' }] }),
        ['flows.answer_invalid', 400],
      ],
      [
        'with a file that was not uploaded',
        async () => ({
          answers: [
            { ...(await first()), slug: 'scan', values: (await first()).values.map((copy) => ({ ...copy, value: '{"_enc_file":"file_1"}' })) },
          ],
        }),
        ['flows.answer_invalid', 400],
      ],
      ['to a node that does not follow', async () => ({ next_node: 'confirm' }), ['flows.next_node_invalid', 400]],
      ['that ends where the flow goes on', async () => ({ next_node: undefined as never, leaf: true }), ['flows.next_node_invalid', 400]],
      ['that leads nowhere', async () => ({ next_node: undefined as never }), ['flows.next_node_invalid', 400]],
    ])('%s', async (_, change, refusal) => {
      await expect(submits(await turn(await change()))).rejects.toEqual(refused(...refusal));
      expect(await shop.flows.reads(run)).toEqual(run);
    });

    it('of another party, of another run, by another connection, and when it is over', async () => {
      const body = await turn();

      const params = { runId: run.id };
      await expect(shop.asks(runs.answerRun, { params, body })).rejects.toEqual(refused('flows.not_your_turn', 403));
      await expect(submits(body, { ...run, id: 'run_nowhere' })).rejects.toEqual(refused('flows.run_not_found', 404));
      await expect(shop.asks(runs.answerRun, { params: { runId: 'run_nowhere' }, body })).rejects.toEqual(refused('flows.run_not_found', 404));
      await expect(world.boltShop.asks(runs.readRun, { params })).rejects.toEqual(refused('flows.run_not_found', 404));
      await expect(submits(body, run, { ...connection, id: 'conn_nowhere' })).rejects.toEqual(refused('company_data.connection_not_found', 404));
      await shop.flows.cancels(run);
      await expect(submits(body)).rejects.toEqual(refused('flows.run_not_awaiting', 409));
      await expect(shop.flows.cancels(run)).rejects.toEqual(refused('flows.run_not_awaiting', 409));
    });

    it('the second of two at once', async () => {
      const [raced, body] = [await starts(), await turn()];

      const both = await Promise.allSettled([submits(body, raced), submits(body, raced)]);

      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused('flows.not_your_turn', 403) });
      expect((await eventsOf(raced)).map(({ event }) => event)).toEqual(['flow_run_turn', 'flow_run_turn']);
    });
  });
});
