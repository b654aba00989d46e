import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { everyTable, requiredVariable, TestDatabases } from '@codase/testing';
import { TABLES } from './table-retention.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the tables of every database', () => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await TestDatabases.open(requiredVariable('CODASE_TEST_POSTGRES_URL'));
  });
  afterAll(() => databases?.drop());

  it.each(Object.keys(TABLES) as (keyof typeof TABLES)[])('have a retention, or a reason why they need none: %s', async (name) => {
    expect(await everyTable(databases.urls[name].owner)).toEqual(Object.keys(TABLES[name]).toSorted());
  });

  it('name only existing files for their retention', () => {
    const files = Object.values(TABLES).flatMap((tables) =>
      Object.values(tables).flatMap((rows) => ('endedBy' in rows ? [rows.endedBy] : [])),
    );

    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
