import { execute, many, openDatabase, sql, type Db } from '@codase/runtime/db';
import { requiredVariable, TestDatabases } from '@codase/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { readPart } from '../../../src/services/flows/files.store.ts';
import { listWithData, lockOfService } from '../../../src/agreements/runs/retention/retention.store.ts';
import {
  findOfCustomer,
  findOfService,
  listAnswers,
  listDefinitionsInUse,
  listOfCustomer,
  listOfService,
  listParties,
} from '../../../src/agreements/runs/runs.store.ts';

const OWN = { company_user_id: 'cost', service_id: 'svc' };
const LAPSE = { company_user_id: 'cost', without_flows_since: new Date('2100-01-01'), free_since: null };
const SLICE = { limit: 50, after: undefined };
/** As many blocks as some indexes and fifty rows have. The whole table has thousands. */
const MAX_BLOCKS = 300;
const ONE_ROW = ['one run of a service', 'one run of a customer', 'its parties', 'its answers'];
const FURTHER_BLOCKS = 10;
/** As many runs as one statement can add within its time limit on a busy machine. */
const AT_ONCE = 10_000;
/** The result is the same with 100,000 runs, which take 13 s of CPU to add in place of 3. */
const RUNS = Number(process.env['CODASE_TEST_RUNS'] ?? 20_000);

/** A plan as Postgres returns it. */
interface Explained {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];
}

/** A database that runs statements by `query`, so that a test can look at them or at their results. */
const watched = (query: (given: string | { text: string }, values: unknown[]) => Promise<{ records: unknown[] }>) =>
  ({ createQueryRunner: () => ({ query, release: async () => undefined }) }) as unknown as Db;
const textOf = (given: string | { text: string }) => (typeof given === 'string' ? given : given.text);

describe('the database cost of reading runs', () => {
  let databases: TestDatabases;
  let db: DataSource;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    db = await openDatabase({ url: databases.urls.region_eu.owner, name: 'flow-runs-cost-test' });
    await execute(
      db,
      sql`
      insert into profile (user_id, type, display_name, language, share_code, public_key, home, created_at)
      values ('cost', 'company', 'Acme', 'en', 'COST', '', 'here', now())`,
    );
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  /**
   * Adds runs of a service, each of a connection of its own, with an answer for both sides. The runs that are first by their ids, about
   * half of all, have lost their data.
   */
  const addRuns = async (from: number, to: number) => {
    const insert = (text: string) =>
      many(db, { text: text.replace('$nths', 'generate_series($1::int, $2::int) as n'), values: [from, to] });
    await many(db)`insert into flow_run_definition values ('flow_1', 'cost', '{}') on conflict do nothing`;
    await insert(`
      insert into flow_run (run_id, company_user_id, service_id, flow_id, flow_version, definition_id, status, current_node, reference_date,
                            created_at, data_removed_at)
      select 'run_' || n, 'cost', 'svc', 'flow_' || n % 2, 1, 'flow_1', case n % 100 when 0 then 'awaiting_company' else 'completed' end,
             'a', '2026-11-16', now() + n * interval '1 second', case when n::text like '1%' then now() end from $nths`);
    await insert(`
      insert into flow_run_party (run_party_id, company_user_id, run_id, position, party_key, user_id, connection_id, customer_type,
                                  created_at)
      select 'pty_' || n, 'cost', 'run_' || n, 1, 'customer', 'ana', 'conn_' || n, 'person', now() + n * interval '1 second' from $nths`);
    await insert(`
      insert into flow_run_answer (answer_id, company_user_id, run_id, slug, for_user_id, value, source_private, verification, answered_at)
      select 'ans_' || n, 'cost', 'run_' || n, 'price', 'cost', 'sealed', false, '{}', now() from $nths`);
  };

  /** How many blocks of the database a read touches. */
  const blocksOf = async (read: (db: Db) => Promise<unknown>): Promise<number> => {
    let blocks = 0;
    const on = watched(async (given, values) => {
      const [explained] = await many<Explained>(db, { text: `explain (analyze, buffers, format json) ${textOf(given)}`, values });
      const { Plan } = explained!['QUERY PLAN'][0];
      blocks += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
      return { records: [] };
    });
    await read(on);
    return blocks;
  };
  const READS: Record<string, (db: Db) => Promise<unknown>> = {
    'one run of a service': (on) => findOfService(on, OWN, 'run_5'),
    'one run of a customer': (on) => findOfCustomer(on, 'ana', 'conn_5', 'run_5'),
    'its parties': (on) => listParties(on, 'run_5'),
    'its answers': (on) => listAnswers(on, 'run_5', 'cost'),
    'the list of a service': (on) => listOfService(on, OWN, {}, SLICE),
    'a later page': (on) => listOfService(on, OWN, {}, { limit: 50, after: { at: new Date(), id: 'run_1' } }),
    'the list of a status': (on) => listOfService(on, OWN, { status: 'awaiting_company' }, SLICE),
    'the list of a flow': (on) => listOfService(on, OWN, { flow_id: 'flow_1' }, SLICE),
    'the list of a flow and status': (on) => listOfService(on, OWN, { flow_id: 'flow_0', status: 'awaiting_company' }, SLICE),
    'whether runs are pinned to a version': (on) => listDefinitionsInUse(on, ['flow_2']),
    'some runs of a service that ends': (on) => lockOfService(on as EntityManager, OWN, 50),
    'whether a company has data to delete': (on) => listWithData(on, [LAPSE]),
    'the list of a customer': (on) => listOfCustomer(on, { user_id: 'ana', connection_id: 'conn_5', status: null }, SLICE),
  };

  const blocksOfAll = async () => {
    const blocks: Record<string, number> = {};
    for (const [name, read] of Object.entries(READS)) blocks[name] = await blocksOf(read);
    return blocks;
  };

  it(`is the same for 10 and for ${RUNS} runs`, async () => {
    await addRuns(1, 10);
    await execute(db, sql`analyze flow_run, flow_run_party, flow_run_answer`);
    const few = await blocksOfAll();
    for (const blocks of Object.values(few)) expect(blocks).toBeGreaterThan(0);

    for (let from = 11; from <= RUNS; from += AT_ONCE) await addRuns(from, Math.min(from + AT_ONCE - 1, RUNS));
    await execute(db, sql`analyze flow_run, flow_run_party, flow_run_answer`);

    const more = await blocksOfAll();
    expect(Object.entries(more).filter(([, blocks]) => blocks > MAX_BLOCKS)).toEqual([]);
    // The read of one row costs only a few more levels of its index. Pages are left out, because they have ten rows or fifty.
    expect(ONE_ROW.filter((name) => more[name]! > few[name]! + FURTHER_BLOCKS)).toEqual([]);
  });

  it('reading a part of an image fetches only the pieces it needs', async () => {
    const image = Buffer.from('abcdefghij'.replaceAll(/./g, (letter) => letter.repeat(1000)));
    await execute(
      db,
      sql`
      insert into flow_file (file_id, company_user_id, kind, original_name, mime_type, size, sha256, tags, created_at)
      values ('image', 'cost', 'image', 'logo.png', 'image/png', ${image.length}, '', '{}', now())`,
    );
    await execute(
      db,
      sql`
      insert into flow_file_piece (piece_id, company_user_id, file_id, position, piece)
      select 'piece_' || n, 'cost', 'image', n, substr(${image}::bytea, (n - 1) * 1000 + 1, 1000) from generate_series(1, 10) as n`,
    );
    let pieces = 0;
    const on = watched(async (given, values) => {
      const records = await many(db, { text: textOf(given), values });
      pieces += records.length;
      return { records };
    });

    for (const [from, bytes] of [
      [0, 1000],
      [999, 2],
      [2500, 1000],
      [9990, 1000],
      [10_000, 10],
    ] as const)
      expect(await readPart(on, { file_id: 'image' }, { from, bytes })).toEqual(image.subarray(from, from + bytes));
    expect(pieces).toBe(6);
  });
});
