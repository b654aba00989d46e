import { column, execute, forCompany, forEveryCompany, many, openDatabase } from '@codase/runtime/db';
import { contactData, services, webhooks } from '@codase/contracts';
import { requiredVariable, TestDatabases, World } from '@codase/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { MOVED_TABLES, REGION_ENTITIES } from '../../../src/capabilities.ts';
import { countChallenges } from '../../../src/sharing/challenges/challenges.store.ts';
import { countOpen } from '../../../src/sharing/connect-requests/requests.store.ts';
import { countDelegates } from '../../../src/sharing/delegates/delegates.store.ts';
import { emit } from '../../../src/services/feed/index.ts';
import { ownerOf, WITHOUT_ROW_SECURITY } from '../../support/owned-tables.ts';
import { RowsOfCompanies, type Row } from '../../support/rows-of-companies.ts';

const PROTECTED = MOVED_TABLES.all.filter(({ table }) => !(table in WITHOUT_ROW_SECURITY));

describe("the app role of a region's database, on a connection that is set for one company", () => {
  let databases: TestDatabases;
  let db: DataSource;
  let rows: RowsOfCompanies;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    db = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', pool: 2 });
    rows = await RowsOfCompanies.open(db);
    for (const company of ['acme', 'bolt']) await rows.handOverAll(company);
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  /** Runs a statement for a company, and takes back what it did. Returns how many rows it returned. */
  async function rowsFor(company: string, text: string, values: unknown[] = []): Promise<number> {
    const runner = db.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`select set_config('codase.company', $1, true)`, [company]);
      return ((await runner.query(text, values, true)) as { records: unknown[] }).records.length;
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }
  const insert = (table: string) => `insert into ${table} select * from jsonb_populate_record(null::${table}, $1) returning 1`;
  const json = (row: Row) => [JSON.stringify(row)];

  describe.each(PROTECTED)('in $table', (moved) => {
    const { table, owner } = moved;

    it('reads the rows of that company alone', async () => {
      expect(await rowsFor('acme', `select from ${table} where ${owner} in ('acme', 'bolt')`)).toBe(1);
      expect(await rowsFor('acme', `select from ${table} where ${owner} <> 'acme'`)).toBe(0);
      expect(await rowsFor('*', `select from ${table} where ${owner} in ('acme', 'bolt')`)).toBe(2);
    });

    it('reads no row while it is set for nobody', async () => {
      expect(await rowsFor('', `select from ${table}`)).toBe(0);
    });

    it('neither changes nor deletes nor locks a row of another company', async () => {
      expect(await rowsFor('acme', `update ${table} set ${owner} = ${owner} where ${owner} = 'bolt' returning 1`)).toBe(0);
      expect(await rowsFor('acme', `delete from ${table} where ${owner} = 'bolt' returning 1`)).toBe(0);
      expect(await rowsFor('acme', `select from ${table} where ${owner} = 'bolt' for update`)).toBe(0);
    });

    it('neither adds a row of another company nor gives one away', async () => {
      const added = json(rows.rowOf(moved, 'bolt', ' added'));
      await expect(rowsFor('acme', insert(table), added)).rejects.toMatchObject({ code: '42501' });
      await expect(rowsFor('acme', `update ${table} set ${owner} = 'bolt' where ${owner} = 'acme'`)).rejects.toMatchObject({
        code: '42501',
      });
      expect(await rowsFor('bolt', `update ${table} set ${owner} = ${owner} where ${owner} = 'bolt' returning 1`)).toBe(1);
    });
  });

  it('is restricted in every table that has an owner, or there is a reason why not', async () => {
    const tables = await many<{ name: string; columns: string[]; is_restricted: boolean; is_own: boolean }>(db)`
      select c.relname as name, c.relrowsecurity as is_restricted,
             array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
             (select count(*) = 1 and bool_and(polname = 'own_company' and polcmd = '*') from pg_policy where polrelid = c.oid) as is_own
        from pg_class c
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`;
    const owned = tables.filter(({ name, columns }) => ownerOf(name, columns) !== undefined);

    const without = owned.filter(({ is_restricted, is_own }) => !is_restricted || !is_own).map(({ name }) => name);
    expect(without.toSorted()).toEqual(Object.keys(WITHOUT_ROW_SECURITY).toSorted());
  });

  it('is not restricted on a connection that says nothing, as of the release before', async () => {
    const earlier = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', pool: 1 });
    expect(await many(earlier)`select service_id from service where company_user_id in ('acme', 'bolt')`).toHaveLength(2);
    await earlier.destroy();
  });

  it('is nobody in a pool of the region until work says for whom it is done', async () => {
    const pool = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', pool: 1, byCompany: true });
    const seen = () => column<string>(pool)`select company_user_id from service where company_user_id in ('acme', 'bolt') order by 1`;
    const inTransaction = () => pool.transaction((tx) => column<string>(tx)`select company_user_id from webhook order by 1`);

    expect(await seen()).toEqual([]);
    expect(await forCompany('acme', seen)).toEqual(['acme']);
    expect(await forEveryCompany(seen)).toEqual(['acme', 'bolt']);
    expect(await Promise.all([forCompany('acme', seen), forCompany('bolt', seen), seen()])).toEqual([['acme'], ['bolt'], []]);
    await expect(forCompany('acme', () => pool.transaction((tx) => execute(tx)`select 1 / 0`))).rejects.toThrow('division by zero');
    expect(await seen()).toEqual([]);
    await expect(forCompany('acme', () => execute(pool)`select 1 / 0`)).rejects.toThrow('division by zero');
    expect(await forCompany('acme', seen)).toEqual(['acme']);
    expect(await forCompany('bolt', inTransaction)).toEqual(['bolt']);
    expect(await inTransaction()).toEqual([]);
    await pool.destroy();
  });

  it('is ended when it cannot be set, and what it read for another company is not returned', async () => {
    const pool = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', pool: 1, byCompany: true });
    const seen = () => column<string>(pool)`select company_user_id from service where company_user_id in ('acme', 'bolt') order by 1`;
    expect(await forCompany('acme', seen)).toEqual(['acme']);
    await forCompany('acme', () => execute(pool)`deallocate all`);

    await expect(forCompany('bolt', seen)).rejects.toMatchObject({ code: '26000' });

    expect(await forCompany('bolt', seen)).toEqual(['bolt']);
    await pool.destroy();
  });

  it('counts what other companies ask of a person, where a limit is one of the person', async () => {
    const now = new Date('2026-01-01T00:30:00Z');
    const pending = {
      person_user_id: 'usr_ana',
      created_at: now,
      expires_at: new Date('2027-01-01'),
      status: 'pending',
      completed_at: null,
    };
    const pool = await openDatabase({
      url: databases.urls.region_eu.app,
      name: 'test',
      pool: 1,
      byCompany: true,
      entities: REGION_ENTITIES,
    });
    const asking = await RowsOfCompanies.open(pool);
    for (const company of ['acme', 'bolt']) {
      const add = (table: string, row: Row) => {
        const moved = MOVED_TABLES.find(table);
        return forEveryCompany(() => asking.handOver(company, moved, { ...asking.rowOf(moved, company, ' asking'), ...row }));
      };
      await add('challenge', { ...pending, context: 'Log in' });
      await add('connect_request', { person_user_id: 'usr_ana', asked_at: now });
      await add('delegate', { delegate_user_id: 'usr_ana' });
    }
    const inAcme = <T>(count: (tx: EntityManager) => Promise<T>) => forCompany('acme', () => pool.transaction(count));
    const known = { person_user_id: 'usr_ana', service_id: 'service_id of acme' };

    expect(await inAcme((tx) => countChallenges(tx, known, now))).toMatchObject({ of_person: 2, of_service: 1 });
    expect(await inAcme((tx) => countOpen(tx, 'usr_ana', new Date(0)))).toBe(2);
    expect(await inAcme((tx) => countDelegates(tx, 'acme', 'usr_ana'))).toEqual({ of_company: 2, of_user: 2 });
    expect(await inAcme((tx) => column(tx)`select company_user_id from challenge where person_user_id = 'usr_ana'`)).toEqual(['acme']);
    await pool.destroy();
  });
});

describe('the statements of a region', () => {
  let world: World;
  let owner: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    owner = await world.opensDatabase('region_eu', { role: 'owner' });
    await owner.query('create table seen (at_table text, company text)');
    await owner.query(`
      create function note_tenant() returns trigger language plpgsql security definer as $$
      begin
        insert into seen values (tg_table_name, current_setting('codase.company', true));
        return null;
      end $$`);
    for (const table of ['webhook', 'contact_value', 'feed_lease', 'profile'])
      await owner.query(
        `create trigger note_tenant after insert or update or delete on ${table} for each row execute function note_tenant()`,
      );
  });
  afterAll(() => world?.close());

  /** For which companies a table was written until now. */
  const seenIn = async (table: string) =>
    (await column<string>(owner)`select distinct company from seen where at_table = ${table}`).toSorted();

  it('are for its own company alone when a company sets something up', async () => {
    const { items } = await world.acme.asks(services.listServices, { query: {} });
    const body = { url: 'https://acme.example/hook' };
    await world.acme.asks(webhooks.createWebhook, { params: { id: items[0]!.id }, body });

    expect(await seenIn('webhook')).toEqual([world.acme.user_id]);
  });

  it('are for the company of its service when a service client calls', async () => {
    const { company_user_id, service_id } = world.shop;
    const person = { person_user_id: 'usr_x', share_code: 'ANA', customer_type: 'person' } as const;
    const event = { event: 'connection_created', at: new Date(world.now).toISOString(), ...person } as const;
    await owner.transaction((tx) => emit(tx, [{ company_user_id: company_user_id!, service_id: service_id!, event }]));

    expect((await world.shop.feed.drains({ lease: 'new' })).events).toHaveLength(1);
    expect(await seenIn('feed_lease')).toEqual([world.acme.user_id]);
  });

  it('are for every company when a person calls, whose data are with many, and when another role asks', async () => {
    const person = await world.signsUp({ type: 'person' });
    const body = { value: 'ana@home.example', is_private: false, copies: [] };
    await person.asks(contactData.putContactData, { params: { slug: 'email' }, body });

    expect(await seenIn('contact_value')).toEqual(['*']);
    expect(await seenIn('profile')).toEqual(['*']);
  });
});
