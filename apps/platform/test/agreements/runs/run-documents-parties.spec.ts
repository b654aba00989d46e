import { opened } from '@codase/actors';
import type { Run } from '@codase/contracts';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { execute, sql } from '@codase/runtime/db';
import { comesTrue, customerSide, generates, ownerSide, serviceSide, type OwnConnection, type Person } from '@codase/testing';
import { refused } from '../../sharing/connections/connections-world.ts';
import { contractWith, idOf, leafOf, lineOf, RunDocumentsWorld, signatureOf, VALUES } from './run-documents-world.ts';

const deleted = refused('account.counterparty_deleted', 409);

/** A flow that a company and a guest sign too, besides the customer and the owner. */
const OF_FOUR = contractWith((definition) => {
  definition.parties.push({ key: 'firm', label: 'Firm', type: 'company' }, { key: 'guest', label: 'Guest', type: 'person' });
  leafOf(definition).output!.documents[0]!.rules[0]!.signers = ['customer', 'firm', 'guest', 'company'].map((party) => ({
    party,
    action: 'sign',
  }));
});

describe('a run with documents and four parties @spec D2-4.1 @spec D2-7', () => {
  const at = new RunDocumentsWorld();
  let flow: string;
  let person: Person;
  let own: OwnConnection;
  let firms: OwnConnection;
  beforeAll(async () => {
    await at.open();
    flow = await at.publishes(OF_FOUR);
    ({ person, connection: own } = await at.connected());
    firms = await at.world.boltAutomation.asCustomer.connections.connects('ACME/SHOP');
  });
  afterAll(() => at.close());

  /** Plays a run to the point where the company generates. */
  const atLeaf = async (guest: Awaited<ReturnType<typeof at.connected>>): Promise<Run> => {
    const { boltAutomation: firm } = at.world;
    const targets = {
      customer: { connection_id: own.id },
      firm: { connection_id: firms.id },
      guest: { connection_id: guest.connection.id },
    };
    const run = await at.shop.flows.starts(flow, { targets, flow_version: 1 });
    await person.flows.answers(own, run, { quantity: '3' }, { next_node: 'confirm' });
    const customers = [person, guest.person, { public_key: firm.public_key, user_id: firm.company_user_id }];
    return at.shop.flows.answers(run, { order_number: 'A-17' }, { leaf: true }, customers);
  };

  const WAYS: [string, (guest: Person, signing: Run) => Promise<unknown>][] = [
    [
      'is being deleted',
      (guest) => execute(at.db, sql`insert into deleted_account (user_id, deleted_at) values (${guest.user_id}, ${at.world.now})`),
    ],
    [
      'was deleted',
      async (guest, signing) => {
        await guest.phone.requestsDeletion();
        const mail = (await at.world.mails()).find(({ to, subject }) => to === guest.email && subject.includes('deletes'));
        await guest.phone.confirmsDeletion(mail!.code!);
        await comesTrue(async () => expect(await at.shop.flows.reads(signing)).toMatchObject({ status: 'cancelled' }));
      },
    ],
  ];

  it('lets each party act only on its own copy', async () => {
    const guest = await at.connected();
    const run = await atLeaf(guest);
    const made = await generates(serviceSide(at.shop), run.id, { values: VALUES });
    const pdf = await at.pdfOf(run);
    const others = [
      [person, ['firm', 'guest', 'company']],
      [at.world.boltAutomation.asCustomer, ['customer', 'guest', 'company']],
      [guest.person, ['customer', 'firm', 'company']],
      [at.world.automation.asCustomer, ['customer', 'firm', 'guest', 'company']],
    ] as const;

    for (const [{ documents }, parties] of others)
      for (const party of parties) {
        const copy = idOf(made, party);
        for (const acts of [
          documents.reads(copy),
          documents.fetches(copy),
          documents.signs(copy, pdf, { method: 'email' }),
          documents.accepts(copy, pdf),
          documents.declines(copy),
          documents.cancels(copy),
        ])
          await expect(acts).rejects.toEqual(refused('documents.not_found', 404));
      }

    expect(await at.shop.flows.reads(run)).toMatchObject({ status: 'awaiting_signature' });
  });

  it('requires the company to name the party when it plays two, and never acts for the other one', async () => {
    const twice = await at.publishes(
      contractWith((definition) => {
        definition.parties.push({ key: 'witness', label: 'Witness' });
        leafOf(definition).output!.documents[0]!.rules[0]!.signers = ['company', 'witness', 'customer'].map((party) => ({
          party,
          action: 'sign',
        }));
      }),
    );
    const { company_user_id } = at.shop;
    const bound = { target: { connection_id: own.id }, bindings: { witness: company_user_id! }, flow_version: 1 };
    const run = await at.shop.flows.starts(twice, bound);
    await person.flows.answers(own, run, { quantity: '3' }, { next_node: 'confirm' });
    await at.shop.flows.answers(run, { order_number: 'A-17' }, { leaf: true }, [person]);
    const made = await generates(serviceSide(at.shop), run.id, { values: VALUES });
    const pdf = await at.pdfOf(run);
    const [unnamed, notOpen] = [refused('request.invalid', 400), refused('documents.transition_invalid', 409)];

    for (const { outputs } of [serviceSide(at.shop), ownerSide(at.world.automation, { id: at.shop.service_id!, flowId: twice })]) {
      const signs = async (party?: object) => outputs.sign(run.id, 'contract', { ...(await signatureOf(pdf)), ...party });
      await expect(signs()).rejects.toEqual(unnamed);
      await expect(outputs.decline(run.id, 'contract')).rejects.toEqual(unnamed);
      await expect(outputs.decline(run.id, 'contract', { party_key: 'customer' })).rejects.toEqual(refused('flows.no_document', 404));
      await expect(outputs.decline(run.id, 'contract', { party_key: 'guest 1' })).rejects.toEqual(unnamed);
    }
    const { outputs } = serviceSide(at.shop);
    const signs = async (party_key: string) => outputs.sign(run.id, 'contract', { ...(await signatureOf(pdf)), party_key });
    await expect(signs('witness')).rejects.toEqual(notOpen);
    expect(await signs('company')).toMatchObject({ id: idOf(made, 'company').id, status: 'active' });
    await expect(signs('company')).rejects.toEqual(notOpen);
    expect(await signs('witness')).toMatchObject({ id: idOf(made, 'witness').id, status: 'active' });
    expect(lineOf(await at.shop.flows.reads(run))).toEqual([
      'contract company 1 active signed',
      'contract witness 2 active signed',
      'contract customer 3 ready_to_sign -',
    ]);
  });

  it.each(WAYS)('can be read but not changed when the account of a guest %s', async (_, deletes) => {
    const guest = await at.connected();
    const [generating, signing] = [await atLeaf(guest), await atLeaf(guest)];
    const made = await generates(serviceSide(at.shop), signing.id, { values: VALUES });
    const pdf = await at.pdfOf(signing);
    const firm = at.world.boltAutomation.asCustomer;

    await deletes(guest.person, signing);

    const owners = [serviceSide(at.shop), ownerSide(at.world.automation, { id: at.shop.service_id!, flowId: flow })];
    for (const { outputs } of owners) {
      await expect(outputs.sign(signing.id, 'contract', await signatureOf(pdf))).rejects.toEqual(deleted);
      await expect(outputs.accept(signing.id, 'contract', await opened(pdf))).rejects.toEqual(deleted);
      await expect(outputs.decline(signing.id, 'contract')).rejects.toEqual(deleted);
      expect(await outputs.read(signing.id, 'contract')).toMatchObject({ value: expect.any(String) });
    }
    const value = await sealBox(createOneTimeKey(), Buffer.from('{}'));
    for (const side of [...owners, customerSide(person, own)]) {
      await expect(generates(side, generating.id, { values: VALUES })).rejects.toEqual(deleted);
      await expect(side.uploadInput(generating.id, { source_key: 'field:lease', value })).rejects.toEqual(deleted);
    }
    for (const [{ documents }, party] of [
      [person, 'customer'],
      [firm, 'firm'],
    ] as const) {
      const copy = idOf(made, party);
      await expect(documents.signs(copy, pdf, { method: 'email' })).rejects.toEqual(deleted);
      await expect(documents.accepts(copy, pdf)).rejects.toEqual(deleted);
      await expect(documents.declines(copy)).rejects.toEqual(deleted);
      await expect(documents.cancels(copy)).rejects.toEqual(deleted);
      expect(await documents.reads(copy)).toMatchObject({ id: copy.id, sealed_at: null, signatures: [] });
    }
    expect(await at.waiting(signing)).toEqual({ uploads: 0, inputs: 0 });
  });
});
