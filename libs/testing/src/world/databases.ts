import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateFeedConsumer } from '@cds/feed-consumer';
import { migratePlatform } from '@cds/platform';
import { cloneDatabase, createDatabase, databaseUrl, dropDatabase, type DatabaseUrls } from '@cds/servers';
import { DATABASES, type DatabaseName } from '@cds/stack';

/** A migrated database of each kind is made once per test run; every world gets copies, which takes milliseconds. */
type Kind = 'front_door' | 'region' | 'feed_consumer' | 'suite';

const kindOf = (name: DatabaseName): Kind =>
  name === 'front_door' || name === 'feed_consumer' ? name : name.startsWith('region_') ? 'region' : 'suite';

const PASSWORD = 'only-for-tests';
const template = (kind: Kind) => ({ name: `template_${kind}`, ownerPassword: PASSWORD, appPassword: PASSWORD });

export interface TestDatabases {
  urls: Record<DatabaseName, DatabaseUrls>;
  drop(): Promise<void>;
}

export async function testDatabases(adminUrl: string): Promise<TestDatabases> {
  await ensureTemplates(adminUrl);
  const world = `w_${randomBytes(6).toString('hex')}`;
  const made = DATABASES.map((name) => ({ name, database: `${world}_${name}` }));
  for (const { name, database } of made) await cloneDatabase(adminUrl, template(kindOf(name)).name, database);
  return {
    urls: Object.fromEntries(made.map(({ name, database }) => [name, urlsOf(adminUrl, kindOf(name), database)])) as Record<
      DatabaseName,
      DatabaseUrls
    >,
    drop: async () => void (await Promise.all(made.map(({ database }) => dropDatabase(adminUrl, database)))),
  };
}

/** The copy keeps the template's roles. */
function urlsOf(adminUrl: string, kind: Kind, name: string): DatabaseUrls {
  const role = (which: string) => databaseUrl(adminUrl, { name, user: `template_${kind}_${which}`, password: PASSWORD });
  return { owner: role('owner'), app: role('app') };
}

/** Whichever test worker comes first makes them; the others wait at the lock and find them made. */
async function ensureTemplates(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`select pg_advisory_lock(hashtext('cds test templates'))`);
    const { rowCount } = await admin.query(`select from pg_database where datname = 'template_ready'`);
    if (rowCount) return;
    const make = (kind: Kind) => createDatabase(adminUrl, template(kind));
    const [frontDoor, region, feedConsumer] = await Promise.all([make('front_door'), make('region'), make('feed_consumer'), make('suite')]);
    await migratePlatform({ frontDoor: { url: frontDoor.owner }, regions: [{ url: region.owner }] });
    await migrateFeedConsumer({ url: feedConsumer.owner });
    await admin.query('create database template_ready');
  } finally {
    await admin.end();
  }
}
