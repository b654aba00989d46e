import { many, openDatabase, tableOf, type Entity } from '@codase/runtime/db';
import { requiredVariable, TestDatabases } from '@codase/testing';
import { getMetadataArgsStorage, type DataSource } from 'typeorm';
import { MOVED_TABLES } from '../../../src/capabilities.ts';
import { KEYS_OF_ROWS, RowsOfCompanies } from '../../support/rows-of-companies.ts';

/**
 * Every column of a moving table that names rows of another one, as the entities of the tables have it. An event in the feed of a customer
 * names services and connections of other companies.
 */
const NAMING = getMetadataArgsStorage()
  .columns.map(({ target, propertyName }) => ({ table: tableOf(target as Entity), column: propertyName }))
  .filter(({ table, column }) => MOVED_TABLES.all.some((moved) => moved.table === table && (column === 'channel' || moved.key !== column)))
  .filter(({ table, column }) => column === 'channel' || (KEYS_OF_ROWS.has(column) && table !== 'feed_event'));

describe('the rows of a company that another region hands over @gap D1-5.6', () => {
  let databases: TestDatabases;
  let db: DataSource;
  let rows: RowsOfCompanies;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'), ['region-eu']);
    db = await openDatabase({ url: databases.urls.region_eu.app, name: 'test', pool: 2 });
    rows = await RowsOfCompanies.open(db);
    for (const company of ['neighbour', 'mover']) await rows.handOverAll(company);
  });
  afterAll(async () => {
    await db?.destroy();
    await databases?.drop();
  });

  it('are taken when they name what is of their own company', async () => {
    for (const { table, owner } of MOVED_TABLES.all) {
      const rowsOfMover = await many(db, { text: `select from ${table} where ${owner} = 'mover'`, values: [] });
      expect({ [table]: rowsOfMover.length }).toEqual({ [table]: 1 });
    }
  });

  it.each(NAMING)('are refused when they name the $column of another company in $table', async ({ table, column }) => {
    const moved = MOVED_TABLES.find(table);
    const planted = { ...rows.rowOf(moved, 'mover', ' planted'), [column]: `${column === 'channel' ? 'webhook_id' : column} of neighbour` };

    await expect(rows.handOver('mover', moved, planted)).rejects.toMatchObject({ key: 'request.invalid' });
  });
});
