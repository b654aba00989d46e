import { connections, OPERATOR, services, type Level } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { comesTrue, type Company, type Person } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { contractSignedBy, idOf, lineOf, RunDocumentsWorld } from './run-documents-world.ts';

const managed = refused('documents.run_managed', 409);
const FOR_LATER = { status: 'active_but_ending', cancel_effective_date: '2999-01-01' } as const;

describe('the documents of an open run @spec D2-3 @spec D2-7', () => {
  const at = new RunDocumentsWorld();
  let owner: DataSource;
  const flows: Record<'company' | 'customer', string> = {} as never;
  beforeAll(async () => {
    await at.open();
    owner = await at.world.opensDatabase('region_eu', { role: 'owner' });
    await owner.query(`create function fails() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    const line = (['company', 'customer'] as const).map((party) => ({ party, action: 'sign' as const }));
    flows.company = await at.publishes(contractSignedBy(line));
    flows.customer = await at.publishes(contractSignedBy(line.toReversed()));
  });
  afterAll(() => at.close());

  type Signing = Awaited<ReturnType<typeof at.signing>>;
  const signs = ({ run, person, made, pdf }: Signing, party: 'company' | 'customer') =>
    party === 'company' ? at.shop.flows.signsOutput(run, 'contract', pdf) : person.documents.signs(idOf(made, 'customer'), pdf);
  /** Plays a run until the first of the line has signed. */
  const halfSigned = async (first: 'company' | 'customer') => {
    const signing = await at.signing(flows[first]);
    await signs(signing, first);
    return signing;
  };
  const ends = ({ connection }: Pick<Signing, 'connection'>) =>
    at.shop.asks(connections.endConnection, { params: { connectionId: connection.id } });
  /** Makes all changes of some rows fail, while the work is done. */
  const whileFailing = async (change: string, when: string, work: () => Promise<unknown>) => {
    await owner.query(`create trigger fails before ${change} for each row when (${when}) execute function fails()`);
    await work().finally(() => owner.query(`drop trigger fails on ${change.split(' on ')[1]}`));
  };
  const setsLevel = async (level: Level, user_id: string) =>
    (await at.world.operator('platform')).request(OPERATOR.setLevel, {}, { user_id, level });
  const deletes = async (person: Person) => {
    await person.phone.requestsDeletion();
    const mail = (await at.world.mails()).find(({ to, subject }) => to === person.email && subject.includes('deletes'));
    await person.phone.confirmsDeletion(mail!.code!);
  };

  const opensClub = (company: Company) => {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
    return company.asks(services.createService, { body: { name: 'Club', admin_email: 'club@acme.example', ...keys } });
  };

  it.each([
    ['company', 'customer'],
    ['customer', 'company'],
  ] as const)('refuse status changes by the service between the signature of the %s and that of the %s', async (first, last) => {
    const signing = await halfSigned(first);
    for (const party of [first, last])
      for (const change of [{ status: 'ended' }, FOR_LATER, { status: 'active', name: 'Lease' }] as const)
        await expect(at.shop.documents.changes(idOf(signing.made, party), change)).rejects.toEqual(managed);

    const renamed = await at.shop.documents.changes(idOf(signing.made, first), { name: 'Lease' });
    expect(renamed).toMatchObject({ name: 'Lease', status: 'active' });
    await signs(signing, last);

    expect(lineOf(await at.shop.flows.reads(signing.run))).toEqual([
      `contract ${first} 1 active signed`,
      `contract ${last} 2 active signed`,
    ]);
    expect(await at.shop.documents.changes(idOf(signing.made, first), FOR_LATER)).toMatchObject({ status: 'active_but_ending' });
  });

  it.each<[ends: string, (signing: Signing) => Promise<unknown>]>([
    ['the next party declines', ({ person, made }) => person.documents.declines(idOf(made, 'customer'))],
    ['the company cancels the run', ({ run }) => at.shop.flows.cancels(run)],
    ['the company ends the connection', ends],
    ['the customer ends the connection', ({ person, connection }) => person.connections.disconnects(connection)],
    ['the customer deletes the account', ({ person }) => deletes(person)],
  ])('end when %s, while a signed one keeps its later end date', async (_, act) => {
    const signing = await halfSigned('company');
    await execute(
      at.db,
      sql`
      update document set status = 'active_but_ending', cancel_effective_date = '2999-01-01'
       where document_id = ${idOf(signing.made, 'company').id}`,
    );
    await expect(signs(signing, 'company')).rejects.toEqual(refused('documents.transition_invalid', 409));

    await act(signing);

    await comesTrue(async () => {
      const { status, ...run } = await at.shop.flows.reads(signing.run);
      expect([status, ...lineOf(run)]).toEqual(['cancelled', 'contract company 1 active_but_ending signed', 'contract customer 2 ended -']);
    });
  });

  it('end with each connection of a deleted account, even while another connection fails to end', async () => {
    const { person, connection } = await at.connected();
    const club = await opensClub(at.world.acme);
    const other = await person.connections.connects(`ACME/${club.share_code}`);
    const left = async () =>
      (
        await many<{ connection_id: string }>(at.db, sql`select connection_id from connection where customer_user_id = ${person.user_id}`)
      ).map(({ connection_id }) => connection_id);
    const stuck = [connection.id, other.id].toSorted()[0]!;

    await whileFailing('delete on connection', `old.connection_id = '${stuck}'`, async () => {
      await deletes(person);
      await comesTrue(async () => expect(await left()).toEqual([stuck]));
    });

    await at.world.passes({ hours: 1 });
    await comesTrue(async () => expect(await left()).toEqual([]));
    await at.shop.getsToken();
  });

  it('end when the run data of their company is deleted, even while that of another company fails', async () => {
    const [{ run }, company] = [await halfSigned('company'), await at.world.signsUp({ type: 'company', level: 'business' })];
    const companies = [at.shop.company_user_id!, company.user_id];
    const { id: service_id } = await opensClub(company);
    const [definition_id, company_user_id] = ['definition_of_another', company.user_id];
    const others = { run_id: 'run_of_another', company_user_id, definition_id, service_id, repeat_hash: null };
    await execute(at.db, sql`insert into flow_run_definition values (${definition_id}, ${company_user_id}, '{}')`);
    await execute(
      at.db,
      sql`
      insert into flow_run
      select other.* from flow_run r, jsonb_populate_record(r, ${JSON.stringify(others)}::jsonb) as other where r.run_id = ${run.id}`,
    );
    const { stuck } = (await one<{ stuck: string }>(at.db, sql`select min(id) as stuck from unnest(${companies}::text[]) as id`))!;
    const left = async () => {
      const sorted = sql`select distinct company_user_id as id from flow_run where data_removed_at is null`;
      return (await many<{ id: string }>(at.db, sorted)).map(({ id }) => id).toSorted();
    };
    expect(await left()).toEqual(companies.toSorted());
    for (const user_id of companies) await setsLevel('basic', user_id);

    await whileFailing('update on flow_run', `old.company_user_id = '${stuck}'`, async () => {
      await at.world.passes({ hours: 31 * 24 });
      await comesTrue(async () => expect(await left()).toEqual([stuck]));
    });

    await at.world.passes({ hours: 1 });
    await comesTrue(async () => expect(await left()).toEqual([]));
    expect(await many(at.db, sql`select from flow_run where status <> 'cancelled' and status <> 'completed'`)).toEqual([]);
  });
});
