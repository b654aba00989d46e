import { account, customer, customerRuns, runs, services, type FlowDefinition } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, World, type Backend, type Company, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { WaitingRunFiles } from '../../../src/agreements/runs/files/run-files.store.ts';
import { asksFor, envelope, refused } from '../../sharing/connections/connections-world.ts';
import { orderWith, publishes } from './flow-runs-world.ts';

const KEY = 'conn:customer:register';

/** A flow whose document is made of a PDF that the customer shared. */
const CONTRACT = (type: 'person' | 'company'): FlowDefinition =>
  orderWith((definition) => {
    definition.output_mode = 'document';
    definition.parties[1] = { key: 'customer', label: 'Customer', type };
    const rules = [{ source_connection: { party: 'customer', request_slug: 'register' }, languages: 'all' as const }];
    definition.nodes[3]!.output = { language_party: 'customer', documents: [{ output_key: 'contract', name: 'Contract', rules }] };
  });

type Customer = Person | Company;

describe('copies of files that a customer shared with a run @spec D2-4.1 @spec D2-8', () => {
  let world: World;
  let shop: Backend;
  let eu: DataSource;
  let us: DataSource;
  let ofPersons: string;
  let ofCompanies: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    shop = world.shop;
    [eu, us] = (await Promise.all((['region_eu', 'region_us'] as const).map((unit) => world.opensDatabase(unit, { pool: 2 })))) as [
      DataSource,
      DataSource,
    ];
    await asksFor(world.acme, shop.service_id!, [{ slug: 'register', label: 'Register', type: 'pdf_document' }]);
    ofPersons = await publishes(world.acme, shop.service_id!, CONTRACT('person'));
    ofCompanies = await publishes(world.acme, shop.service_id!, CONTRACT('company'));
  });
  afterAll(() => world?.close());

  const shares = async (by: Customer, { id: connectionId }: OwnConnection) => {
    const value = await by.sealsFor(shop, JSON.stringify(envelope('application/pdf', '%PDF-1.7')));
    const values = [{ slug: 'register', value, live: false, source_private: true }];
    await by.asks(customer.changeCustomerConnection, { params: { connectionId }, body: { values } });
  };
  const connected = async (region: 'eu' | 'us' = 'us') => {
    const person = await world.signsUp({ type: 'person', region });
    const connection = await person.connections.connects('ACME/SHOP');
    await shares(person, connection);
    return { person, connection };
  };
  const stages = async (of: Customer, recipient: { public_key: string }, words: string, flowId = ofPersons) => {
    const body = { source_user_id: of.user_id, value: await shop.sealsFor(recipient, words) };
    return (await shop.asks(runs.stageRunFile, { params: { flowId }, body })).file;
  };
  const starts = async (of: Customer, { id: connection_id }: OwnConnection, words: string, flowId = ofPersons) => {
    const files = [await stages(of, shop, words, flowId), await stages(of, of, words, flowId)] as const;
    const source_files = [shop.company_user_id, of.user_id].map((for_user_id, nth) => ({
      source_key: KEY,
      for_user_id,
      file: files[nth]!,
    }));
    const targets = { customer: { connection_id } };
    const run = await shop.asks(runs.startRun, { params: { flowId }, body: { targets, flow_version: 1, source_files } });
    return { run, files };
  };
  const rest = async (db: DataSource, files: readonly string[]) =>
    (
      await many<{ file_id: string }>(
        db,
        sql`
        select distinct file_id from flow_run_content join flow_run_piece using (file_id)
         where file_id = any(${files}) and taken order by file_id`,
      )
    ).map(({ file_id }) => file_id);
  const uploads = (db: DataSource) => many(db, sql`select from flow_run_content where not taken`);
  const companyReads = async (runId: string) =>
    shop.opens(((await shop.asks(runs.readSourceFile, { params: { runId, sourceKey: KEY } })) as { value: string }).value);
  const customerReads = async (by: Customer, { id: connectionId }: OwnConnection, runId: string, file: string) =>
    by.opens(((await by.asks(customerRuns.readCustomerAnswerFile, { params: { connectionId, runId, file } })) as { value: string }).value);
  const notFound = refused('flows.file_not_found', 404);

  it.each(['eu', 'us'] as const)('are stored in the region of a person in %s, and each party reads only its own copy', async (region) => {
    const { person, connection } = await connected(region);
    const words = `a PDF ${'x'.repeat(500_000)}`;

    const { run, files } = await starts(person, connection, words);

    const [home, other] = region === 'us' ? [us, eu] : [eu, us];
    expect(await rest(home, files)).toEqual(files.toSorted());
    expect(await rest(other, files)).toEqual([]);
    expect([await uploads(eu), await uploads(us)]).toEqual([[], []]);
    expect(await companyReads(run.id)).toBe(words);
    expect(await customerReads(person, connection, run.id, files[1])).toBe(words);
    await expect(customerReads(person, connection, run.id, files[0])).rejects.toEqual(notFound);
    expect((await person.flows.reads(connection, run)).source_files).toEqual({ [KEY]: files[1] });
    await shop.flows.cancels(run);
    expect(await companyReads(run.id)).toBe(words);
  });

  it('move with a customer company, while the run stays in its region', async () => {
    const { bolt } = world;
    const connection = await bolt.connections.connects('ACME/SHOP');
    await shares(bolt, connection);
    const { run, files } = await starts(bolt, connection, 'a register', ofCompanies);
    expect(await rest(us, files)).toEqual(files.toSorted());

    await bolt.asks(account.migrateRegion, { body: { password: bolt.password, region: 'eu' } });

    await comesTrue(async () => {
      await world.passes({ seconds: 1 });
      expect([await rest(us, files), await rest(eu, files)]).toEqual([[], files.toSorted()]);
      await bolt.signsIn();
      expect(await customerReads(bolt, connection, run.id, files[1])).toBe('a register');
    });
    expect(await companyReads(run.id)).toBe('a register');
    expect(await many(us, sql`select from flow_run_release`)).toEqual([]);
  });

  it('are deleted in both regions after a day when no run took them', async () => {
    const { person, connection } = await connected();
    const { files } = await starts(person, connection, 'kept');
    const waiting = await stages(person, shop, 'left');
    // The state after a crash at the moment when the customer's region has the content, and the company's region does not yet have the
    // file.
    await execute(
      us,
      sql`
      insert into flow_run_content (file_id, owner_user_id, company_user_id, served_sha256, taken, ask_at, created_at)
      values ('file_orphan', ${person.user_id}, ${shop.company_user_id}, 'digest', true, ${world.now}::timestamptz + interval '1 day',
              ${world.now})`,
    );
    await execute(us, sql`insert into flow_run_piece values ('file_orphan_1', ${person.user_id}, 'file_orphan', 1, 'sealed')`);
    expect(await rest(us, [...files, waiting, 'file_orphan'])).toHaveLength(4);

    await world.passes({ hours: 24 });
    await new WaitingRunFiles().removeAbandoned(eu, world.now, 20);

    await comesTrue(async () => expect(await rest(us, [...files, waiting, 'file_orphan'])).toEqual(files.toSorted()));
    const [due] = await many<{ ask_at: Date }>(us, sql`select ask_at from flow_run_content where file_id = ${files[0]}`);
    expect(due!.ask_at.getTime()).toBeGreaterThan(world.now.getTime());
    await shop.getsToken();
  });

  it.each([
    ['ends with the account of its company', 'here', sql`delete from profile where user_id = 'company'`, 1],
    ['goes along when its company moves', 'leaving', sql`delete from flow_run_file where company_user_id = 'company'`, 0],
  ])('are released unless their company is moving: a file that %s, home %j', async (_, home, ends, reported) => {
    const released = eu.transaction(async (tx) => {
      await execute(
        tx,
        sql`
        insert into profile (user_id, type, display_name, language, share_code, public_key, home, created_at)
        values ('company', 'company', 'Gone', 'en', 'GONE', '', ${home}, now())`,
      );
      await execute(
        tx,
        sql`
        insert into flow_run_file (file_id, company_user_id, service_id, flow_id, source_user_id, created_at)
        values ('file_gone', 'company', 'svc', 'flow', 'ana', now())`,
      );
      await execute(tx, ends);
      const rows = await many(tx, sql`select from flow_run_release where file_id = 'file_gone' and user_id = 'ana'`);
      throw Object.assign(new Error('nothing of it stays'), { rows: rows.length });
    });
    await expect(released).rejects.toHaveProperty('rows', reported);
  });

  it.each(['is connected', 'has left'])(
    'are deleted with the account of a customer who %s, while the run remains readable',
    async (how) => {
      const { person, connection } = await connected();
      const { run, files } = await starts(person, connection, 'a PDF');
      if (how === 'has left') await person.connections.disconnects(connection);
      expect(await companyReads(run.id)).toBe('a PDF');

      await person.phone.requestsDeletion();
      const mail = (await world.mails()).find(({ to, subject }) => to === person.email && subject.includes('deletes'));
      await person.phone.confirmsDeletion(mail!.code!);

      await comesTrue(async () => expect(await shop.flows.reads(run)).toMatchObject({ status: 'cancelled', source_files: {} }));
      await comesTrue(async () => expect(await rest(us, files)).toEqual([]));
      await expect(companyReads(run.id)).rejects.toEqual(notFound);
    },
  );

  it('are deleted with the service', async () => {
    const { person, connection } = await connected();
    const { files } = await starts(person, connection, 'a PDF');
    const staged = await stages(person, shop, 'another');

    await world.acme.signsIn();
    await world.acme.asks(services.deleteService, { params: { id: shop.service_id! } });

    await comesTrue(async () => expect(await rest(us, [...files, staged])).toEqual([]));
    await comesTrue(async () => expect(await many(eu, sql`select from flow_run_release`)).toEqual([]));
  });
});
