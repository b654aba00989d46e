import { customer, customerRuns, runs, verifications, type FlowDefinition, type Run, type TakenTurn } from '@codase/contracts';
import type { CodaseClient, ProviderKeys } from '@codase/client';
import { collectTelemetry, comesTrue, eventually, forgetTelemetry, World, type OwnConnection, type Person } from '@codase/testing';
import { field, flowOf, math, number, optional, ref, stepOf, text } from '@codase/testing/flow-definition';

const { spans } = collectTelemetry();

/** A flow for a loan: the company names a rate within bounds, a larger loan needs a guarantor, and a firm pays it out. */
const LOAN: FlowDefinition = flowOf(
  [
    stepOf('borrower', 'apply', 'Your loan of {{borrower.email}}', [
      text('For {{borrower.email}} and {{guarantor.email}}'),
      field('monthly', 'decimal'),
      field('months', 'integer'),
      field('contact', 'email', { link: 'connected' }),
      optional('health', 'text'),
    ]),
    stepOf('company', 'rate', 'Rate', [
      field('rate', 'decimal', { default: ref('usual'), min: number(1), max: math('add', ref('usual'), number(2)) }),
      optional('note', 'text', { show_if: { field: 'total', op: 'gt', value: 5000 } }),
    ]),
    stepOf('guarantor', 'secure', 'Secure it', [field('secures', 'select', { options: ['yes', 'no'] })]),
    stepOf('firm', 'pay', 'Pay out', [field('receipt', 'text')]),
    stepOf('borrower', 'end', 'Not this time', []),
  ],
  [
    { from: 'apply', to: 'rate' },
    { from: 'rate', to: 'secure', when: { field: 'total', op: 'gt', value: 5000 } },
    { from: 'rate', to: 'pay' },
    { from: 'secure', to: 'end', when: { field: 'secures', op: 'eq', value: 'no' } },
    { from: 'secure', to: 'pay' },
  ],
  {
    parties: [
      { key: 'company', label: 'Acme', type: 'owner' as const },
      { key: 'borrower', label: 'Borrower', type: 'person' as const },
      { key: 'guarantor', label: 'Guarantor', type: 'person' as const },
      { key: 'firm', label: 'Firm', type: 'company' as const },
    ],
    constants: [
      { key: 'total', label: 'Total', result_type: 'number' as const, expr: math('mul', ref('monthly'), ref('months')), shown_on: [] },
      {
        key: 'usual',
        label: 'Usual rate',
        result_type: 'number' as const,
        expr: {
          type: 'if' as const,
          // oxlint-disable-next-line unicorn/no-thenable -- the specification's word, on a value nobody awaits
          cases: [{ when: { field: 'total', op: 'gt' as const, value: 5000 }, then: number(4) }],
          else: number(6),
        },
        shown_on: ['rate'],
      },
    ],
  },
);

/** The same flow, with a document that is made of the PDF that the borrower shares. */
const CONTRACT: FlowDefinition = {
  ...LOAN,
  output_mode: 'document',
  nodes: LOAN.nodes.map((node) =>
    node.key === 'pay' || node.key === 'end'
      ? {
          ...node,
          output: {
            language_party: 'borrower',
            documents: [
              {
                output_key: 'loan',
                name: 'Loan',
                rules: [{ source_connection: { party: 'borrower', request_slug: 'register' }, languages: 'all' as const }],
              },
            ],
          },
        }
      : node,
  ),
};

describe('a contract flow of several customers, through both planes @spec D2-4.1 @spec D2-4.2 @spec D2-4.4', () => {
  let world: World;
  let codase: CodaseClient;
  let loan: string;
  let contract: string;
  let ana: Person;
  let uma: Person;
  let ofAna: OwnConnection;
  let ofUma: OwnConnection;
  let ofBolt: OwnConnection;
  let keys = 0;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'flows'] });
    const service_id = world.shop.service_id!;
    await world.acme.services.publishesRequest(service_id, [
      { slug: 'email', label: 'E-mail', type: 'email' },
      { slug: 'register', label: 'Register', type: 'pdf_document' },
    ]);
    loan = (await world.acme.flows.publishes(service_id, { ...LOAN })).id;
    contract = (await world.acme.flows.publishes(service_id, { ...CONTRACT })).id;
    [ana, uma] = [await world.signsUp({ type: 'person', region: 'eu' }), await world.signsUp({ type: 'person', region: 'us' })];
    ofAna = await connects(ana, 'ana@example.org', { source_private: true });
    ofUma = await connects(uma, 'uma@example.org', { source_private: false });
    ofBolt = await bolt().connections.connects('ACME/SHOP');
    codase = await world.internalService();
  });
  afterAll(async () => {
    forgetTelemetry();
    await world?.close();
  });

  const bolt = () => world.boltAutomation.asCustomer;
  /**
   * Connects a person and shares an e-mail address. The flow's text shows it to everybody, or a private one to its own party and the
   * company alone.
   */
  const connects = async (person: Person, email: string, { source_private }: { source_private: boolean }): Promise<OwnConnection> => {
    const connection = await person.connections.connects('ACME/SHOP');
    const values = [{ slug: 'email', value: await person.sealsFor(world.shop, email), live: false, source_private }];
    return person.asks(customer.changeCustomerConnection, { params: { connectionId: connection.id }, body: { values } });
  };
  const targets = (borrower = ofAna) => ({
    borrower: { connection_id: borrower.id },
    guarantor: { connection_id: ofUma.id },
    firm: { connection_id: ofBolt.id },
  });
  const starts = (flow = loan, borrower = ofAna) => codase.flows.start(flow, { key: `loan-${++keys}`, targets: targets(borrower) });
  const applies = (id: string, monthly: string, by = ana, connection = ofAna) =>
    by.flows.answers(
      connection,
      { id },
      {
        monthly,
        months: '12',
        contact: { text: 'ana@example.org', ...(by === ana && { from: 'email' }) },
        health: { text: 'well', source_private: true },
      },
      { next_node: 'rate' },
    );
  /** The turn of the company in a run, as soon as the suite offers it. */
  const takes = (id: string): Promise<TakenTurn> => eventually(async () => (await codase.flows.take(id, { by: 'Pia' })) ?? undefined);
  const takesAfter = async (id: string): Promise<TakenTurn> => {
    await applies(id, '100');
    return takes(id);
  };
  const openedBy = async (reader: { opens(wrapper: string): Promise<string> }, { answers }: Pick<Run, 'answers'>) =>
    Object.fromEntries(await Promise.all(answers.map(async ({ slug, value }) => [slug, await reader.opens(value)])));
  const verifies = async (person: Person, slug: string, value: string) => {
    await person.fields.edits(slug, value);
    const provider = await world.registersProvider();
    await provider.verifies(person, slug, value);
  };

  it('is compiled again when another version is published between its reading and its start @spec D2-9', async () => {
    const isRead = () => spans.getFinishedSpans().some(({ name }) => name.includes('/flows/{flowId}/published'));
    const starting = starts(); // it waits: no decryptor runs yet that could open the values of its text
    await eventually(async () => isRead() || undefined);
    await world.acme.flows.publishes(
      world.shop.service_id!,
      { ...LOAN, nodes: LOAN.nodes.with(4, { ...LOAN.nodes[4]!, title: 'Sorry' }) },
      { id: loan },
    );
    await world.starts('decryptor');

    const { flow_run_id: id } = await starting;

    expect(await world.shop.flows.reads({ id })).toMatchObject({ flow_version: 2, status: 'awaiting_borrower' });
    await codase.flows.cancel(id);
  });

  it('follows its constants, with a default and bounds for the rate, to the firm that pays out', async () => {
    const { flow_run_id: id } = await starts();
    await verifies(ana, 'email', 'ana@example.org');
    await applies(id, '100');

    const turn = await takes(id);
    expect(turn).toMatchObject({
      node: 'rate',
      answers: { monthly: 100, months: 12, contact: 'ana@example.org', health: 'well' },
      constants: { total: 1200, usual: 6 },
      attested: { contact: true },
      private_slugs: ['health'],
    });
    const answer = (await world.shop.flows.reads({ id })).answers.find(({ slug }) => slug === 'contact')!;
    const { items } = await world.stranger.asks(verifications.listVerificationProviders, {});
    const keys: ProviderKeys = items[0]!.keys;
    const isSigned = (changed = {}) => codase.isSignedByProvider({ ...answer, person_user_id: ana.user_id, ...changed }, keys);
    expect([await isSigned(), await isSigned({ person_user_id: uma.user_id }), await isSigned({ verification_id: 'ver_other' })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(turn.fields).toEqual([expect.objectContaining({ slug: 'rate', default: '6', min: 1, max: 8 })]);
    const invalid = (...slugs: string[]) => ({
      key: 'flows.turn_answer_invalid',
      extras: { faults: slugs.map((slug) => expect.objectContaining({ slug })) },
    });
    await expect(codase.flows.answer(turn, { rate: 9 })).rejects.toMatchObject(invalid('rate'));
    await expect(codase.flows.answer(turn, { rate: 5, note: 'hidden' })).rejects.toMatchObject(invalid('note'));
    expect(await codase.flows.answer(turn, { rate: 5 })).toEqual({ flow_run_id: id, status: 'awaiting_firm', node: 'pay' });

    await expect(uma.flows.answers(ofUma, { id }, { receipt: 'mine' }, { leaf: true })).rejects.toMatchObject({
      key: 'flows.not_your_turn',
    });
    await bolt().flows.answers(ofBolt, { id }, { receipt: 'R 7' }, { leaf: true });
    const done = await world.shop.flows.reads({ id });
    expect(done).toMatchObject({ status: 'completed', current_node: null });
    expect(await openedBy(world.shop, done)).toMatchObject({ rate: '5', receipt: 'R 7', health: 'well' });
  });

  it('requires the guarantor for a larger loan, and ends when the guarantor refuses', async () => {
    const { flow_run_id: id } = await starts();
    await applies(id, '1000');

    const turn = await takes(id);
    expect(turn).toMatchObject({ constants: { total: 12_000, usual: 4 }, fields: [{ slug: 'rate', max: 6 }, { slug: 'note' }] });
    expect(await codase.flows.answer(turn, { rate: 5.5, note: 'large' })).toMatchObject({ status: 'awaiting_guarantor', node: 'secure' });
    const atUma = await uma.flows.answers(ofUma, { id }, { secures: 'no' }, { next_node: 'end' });
    expect(await openedBy(uma, atUma)).toMatchObject({ monthly: '1000', rate: '5.5', note: 'large', secures: 'no' });

    expect(await ana.flows.answers(ofAna, { id }, {}, { leaf: true })).toMatchObject({ status: 'completed' });
  });

  it('shows a private value only to its own party and the company, and other values to everybody', async () => {
    const { flow_run_id: id } = await starts();
    const read = {
      ana: await ana.flows.reads(ofAna, { id }),
      uma: await uma.flows.reads(ofUma, { id }),
      firm: await bolt().flows.reads(ofBolt, { id }),
    };
    const company = await world.shop.flows.reads({ id });
    const texts = async (reader: { opens(wrapper: string): Promise<string> }, { tag_values }: Pick<typeof company, 'tag_values'>) => ({
      public: JSON.parse(await reader.opens(tag_values!.public)) as unknown,
      private: Object.fromEntries(
        await Promise.all(
          Object.entries(tag_values!.private).map(async ([tag, value]) => [tag, JSON.parse(await reader.opens(value))] as const),
        ),
      ),
    });

    const everybody = { 'guarantor.email': { v: 'uma@example.org', t: 'email' } };
    const hers = { 'borrower.email': { v: 'ana@example.org', t: 'email' } };
    expect(await texts(world.shop, company)).toEqual({ public: everybody, private: hers });
    expect(await texts(ana, read.ana)).toEqual({ public: everybody, private: hers });
    expect(await texts(uma, read.uma)).toEqual({ public: everybody, private: {} });
    expect(await texts(world.bolt, read.firm)).toEqual({ public: everybody, private: {} });
    await codase.flows.cancel(id);
  });

  it("stages a customer's PDF for everybody, stops where documents are made, and can be cancelled there", async () => {
    const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`;
    const shared = JSON.stringify({ file: pdf, original_name: 'register.pdf', mime_type: 'application/pdf', size: 8 });
    await ana.connections.shares(ofAna, { register: shared });
    const { flow_run_id: id } = await starts(contract);

    const sourceKey = 'conn:borrower:register';
    const own = (await world.shop.asks(runs.readSourceFile, { params: { runId: id, sourceKey } })) as { value: string };
    expect(await world.shop.opens(own.value)).toBe(shared);
    for (const [reader, connection] of [
      [ana, ofAna],
      [uma, ofUma],
    ] as const) {
      const { source_files } = await reader.flows.reads(connection, { id });
      const params = { connectionId: connection.id, runId: id, file: source_files[sourceKey]! };
      const copy = (await reader.asks(customerRuns.readCustomerAnswerFile, { params })) as { value: string };
      expect(await reader.opens(copy.value)).toBe(shared);
    }
    await applies(id, '10');
    await codase.flows.answer(await takes(id), { rate: 2 });
    const atLeaf = await bolt().flows.answers(ofBolt, { id }, { receipt: 'R 8' }, { leaf: true });

    expect(atLeaf).toMatchObject({ status: 'generating', current_node: 'pay' });
    expect(await codase.flows.cancel(id)).toEqual({ flow_run_id: id, status: 'cancelled', node: null });
  });

  it('can be cancelled in every state, and then has no open turn', async () => {
    for (const reach of [async () => undefined, (id: string) => applies(id, '100'), (id: string) => takesAfter(id)]) {
      const { flow_run_id: id } = await starts();
      await reach(id);
      expect(await codase.flows.cancel(id)).toMatchObject({ status: 'cancelled' });
      await comesTrue(async () =>
        expect((await codase.flows.turns({ flow_run_id: id })).items.filter(({ state }) => state !== 'answered')).toEqual([]),
      );
      await expect(codase.flows.cancel(id)).rejects.toMatchObject({ key: 'flows.run_not_awaiting' });
    }
  });

  it("ends with the company's turn when the account of a customer is deleted", async () => {
    const eva = await world.signsUp({ type: 'person', region: 'us' });
    const ofEva = await connects(eva, 'eva@example.org', { source_private: true });
    const { flow_run_id: id } = await starts(loan, ofEva);
    await applies(id, '100', eva, ofEva);
    const turn = await takes(id);

    await eva.phone.requestsDeletion();
    const mail = await eventually(async () =>
      (await world.mails()).find(({ to, subject }) => to === eva.email && subject.includes('deletes')),
    );
    await eva.phone.confirmsDeletion(mail.code!);

    await comesTrue(async () => expect(await world.shop.flows.reads({ id })).toMatchObject({ status: 'cancelled' }));
    expect(await codase.flows.answer(turn, { rate: 5 })).toMatchObject({ status: 'cancelled', node: null });
    await expect(codase.flows.cancel(id)).rejects.toMatchObject({ key: 'account.counterparty_deleted' });
    await comesTrue(async () => expect(await codase.flows.take(id)).toBeNull());
  });

  it("can have companies as customers, who also get the client's messages and documents @spec D1-4.2", async () => {
    const { message_id } = await codase.messages.send({ connection_id: ofBolt.id }, 'the loan is paid');
    const { id } = await codase.documents.send({ connection_id: ofBolt.id }, { name: 'Terms', kind: 'document', json: { rate: 5 } });

    const heard = (await bolt().messages.lists(ofBolt)).find((message) => message.message_id === message_id)!;
    expect(await world.bolt.opens(heard.body)).toBe('the loan is paid');
    expect((await bolt().documents.list()).map((document) => document.id)).toContain(id);
  });
});
