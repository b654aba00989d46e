import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestDatabases } from '@codase/testing';
import { DATABASES } from '@codase/stack';
import { ROOT } from '../src/command/root.ts';
import { PERMISSIONS_FILE, permissionsText } from '../src/permissions/permissions-file.ts';
import { grantsIn } from '../src/permissions/table-grants.ts';

describe('the table of permissions', () => {
  let databases: TestDatabases;
  let text: string;
  beforeAll(async () => {
    databases = await TestDatabases.open(process.env['CODASE_TEST_POSTGRES_URL']!);
    const grants = await Promise.all(DATABASES.map(async (name) => [name, await grantsIn(databases.urls[name].owner)] as const));
    text = permissionsText(Object.fromEntries(grants) as Parameters<typeof permissionsText>[0]);
  });
  afterAll(() => databases?.drop());

  it('is equal to the file in docs', () => {
    expect(text).toBe(readFileSync(join(ROOT, PERMISSIONS_FILE), 'utf8')); // to update: npm run permissions -- --write
  });

  const rowOf = (process: string) => text.split('\n').find((line) => line.startsWith(`| ${process} |`))!;

  it("grants no service another region's database, an owner role or an operator's bus user", () => {
    expect(rowOf('region-eu')).toContain('region_eu_app');
    expect(rowOf('region-eu')).not.toContain('region_us');
    for (const process of ['front-door', 'region-eu', 'region-us', 'delivery', 'forwarder', 'gateway', 'feed-consumer', 'decryptor'])
      expect(rowOf(process)).not.toMatch(/_owner|-operator/);
  });

  it('grants the delivery service its own role in each region', () => {
    expect(rowOf('delivery')).toContain('| `region_eu_delivery`, `region_us_delivery` |');
  });
});
