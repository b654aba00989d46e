import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateFeedConsumer } from '@cds/feed-consumer';
import { migratePlatform } from '@cds/platform';
import { cloneDatabases, createDatabase, databaseUrl, dropDatabase, type DatabaseUrls } from '@cds/servers';
import {
  DATABASES,
  demo,
  provisionStack,
  REGIONS,
  roleIn,
  UNIT_NAMES,
  type DatabaseName,
  type StackDatabases,
  type UnitName,
} from '@cds/stack';
import { migrateFlows } from '@cds/flows';
import { migrateTwofa } from '@cds/twofa';
import { sharedCredentials, worldSecrets } from './shared-credentials.ts';

/** A migrated database of each kind is made once per test run; every world gets copies, which takes milliseconds. */
type Kind = Exclude<DatabaseName, `region_${string}`> | 'region';

const kindOf = (name: DatabaseName): Kind => (name === 'region_eu' || name === 'region_us' ? 'region' : name);

const PASSWORD = 'only-for-tests';
const template = (kind: Kind) => ({ name: templateOf(kind), ownerPassword: PASSWORD, appPassword: PASSWORD });
/** That of a region is copied for each of them, because other people live there. */
const templateOf = (name: DatabaseName | Kind): string => `template_${name}`;
const DELIVERY = { rolePasswords: { delivery: PASSWORD } };

/** All of them are there, whichever part of the platform is started; each of the others is for one unit alone. */
const OF_PLATFORM: readonly DatabaseName[] = ['front_door', 'region_eu', 'region_us'];
const OF_UNIT: Record<UnitName, readonly DatabaseName[]> = {
  'front-door': OF_PLATFORM,
  'region-eu': OF_PLATFORM,
  'region-us': OF_PLATFORM,
  delivery: OF_PLATFORM,
  forwarder: OF_PLATFORM,
  gateway: [],
  'feed-consumer': ['feed_consumer'],
  decryptor: [],
  flows: ['flows'],
  twofa: ['twofa'],
};

/** The databases of one world, copied when they are needed. */
export class TestDatabases {
  readonly urls: StackDatabases;
  private readonly world = `w_${randomBytes(6).toString('hex')}`;
  private readonly copied = new Map<DatabaseName, Promise<void>>();

  private constructor(
    private readonly adminUrl: string,
    /** Whether everybody who is in a world from the beginning is in there already. */
    readonly arePopulated: boolean,
  ) {
    this.urls = Object.fromEntries(DATABASES.map((name) => [name, urlsOf(adminUrl, kindOf(name), this.nameOf(name))])) as typeof this.urls;
  }

  static async open(adminUrl: string, units: readonly UnitName[] = UNIT_NAMES): Promise<TestDatabases> {
    const databases = new TestDatabases(adminUrl, await templatesOn(adminUrl));
    await databases.prepareFor(...units);
    return databases;
  }

  /** Also for units that are started later. */
  async prepareFor(...units: readonly UnitName[]): Promise<void> {
    const wanted = [...new Set(units.flatMap((unit) => OF_UNIT[unit]))];
    const missing = wanted.filter((name) => !this.copied.has(name));
    if (missing.length) {
      const copies = missing.map((name) => ({ template: templateOf(name), clone: this.nameOf(name) }));
      const copied = cloneDatabases(this.adminUrl, copies);
      for (const name of missing) this.copied.set(name, copied);
    }
    await Promise.all(wanted.map((name) => this.copied.get(name)));
  }

  async drop(): Promise<void> {
    if (this.copied.size) await dropDatabase(this.adminUrl, ...[...this.copied.keys()].map((name) => this.nameOf(name)));
  }

  private nameOf(name: DatabaseName): string {
    return `${this.world}_${name}`;
  }
}

/** The copy keeps the template's roles. */
function urlsOf(adminUrl: string, kind: Kind, name: string): DatabaseUrls & Partial<DatabaseUrls<'delivery'>> {
  const role = (which: string) => databaseUrl(adminUrl, { name, user: `template_${kind}_${which}`, password: PASSWORD });
  return { owner: role('owner'), app: role('app'), ...(kind === 'region' && { delivery: role('delivery') }) };
}

/** Partitions that a service makes when it starts and does not find them: to copy them takes a tenth of that. */
const MAKE_MONTHS = `select audit_make_months(current_date, current_date + 62)`;
const MAKE_DAYS = `select feed_make_days(current_date, current_date + 3)`;

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const templates = new Map<string, Promise<boolean>>();

/**
 * The templates on a server, made by whoever comes first; answers whether people are in them. A story about an upgrade comes before any
 * world, and has an earlier release migrate them: people come into such a world when it is opened.
 */
export function templatesOn(adminUrl: string, migrate?: Migrate): Promise<boolean> {
  const made = templates.get(adminUrl) ?? ensureTemplates(adminUrl, migrate);
  templates.set(adminUrl, made);
  return made;
}

/** Migrates templates; both regions are one of them. */
type Migrate = (databases: StackDatabases) => Promise<unknown>;
const migrateToNewest: Migrate = async ({ front_door, region_eu, feed_consumer, twofa, flows }) => {
  const regions = [{ url: region_eu.owner, deliveryRole: roleIn(region_eu.delivery) }];
  await migratePlatform({ frontDoor: { url: front_door.owner }, regions });
  await migrateFeedConsumer({ url: feed_consumer.owner });
  await migrateTwofa({ url: twofa.owner });
  await migrateFlows({ url: flows.owner });
};

/** Whichever test worker comes first makes them; the others wait at the lock and find them made. */
async function ensureTemplates(adminUrl: string, migrate: Migrate | undefined): Promise<boolean> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`select pg_advisory_lock(hashtext('cds test templates'))`);
    const { rowCount } = await admin.query(`select from pg_database where datname = 'template_ready'`);
    if (!rowCount) await makeTemplates(adminUrl, migrate);
    if (!rowCount) await admin.query('create database template_ready');
    return migrate === undefined;
  } finally {
    await admin.end();
  }
}

async function makeTemplates(adminUrl: string, migrate: Migrate = migrateToNewest): Promise<void> {
  const make = (kind: Kind) => createDatabase(adminUrl, template(kind));
  const [region, front_door, feed_consumer, twofa, flows] = await Promise.all([
    createDatabase(adminUrl, { ...template('region'), ...DELIVERY }),
    make('front_door'),
    make('feed_consumer'),
    make('twofa'),
    make('flows'),
  ]);
  await migrate({ front_door, region_eu: region, region_us: region, feed_consumer, twofa, flows });
  for (const { owner } of [region, front_door]) await query(owner, MAKE_MONTHS);
  await query(region.owner, MAKE_DAYS);
  const copies = REGIONS.map((name) => ({ template: templateOf('region'), clone: templateOf(`region_${name}`) }));
  await cloneDatabases(adminUrl, copies);
  if (migrate === migrateToNewest) await populate(adminUrl);
  for (const name of DATABASES) await settle(databaseUrl(adminUrl, { name: templateOf(name) }));
}

/**
 * What each copy would else do for itself: migrations leave rows behind in the catalogs that every connection has to look at, and the first
 * connection writes down for the next ones what it found there.
 */
async function settle(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ catalog: string }>(CATALOGS);
    await client.query(`vacuum (freeze) ${rows.map(({ catalog }) => catalog).join(', ')}`);
  } finally {
    await client.end();
  }
  await query(url, 'select');
}

const CATALOGS = `
  select oid::regclass::text as catalog from pg_class
   where relkind = 'r' and relnamespace = 'pg_catalog'::regnamespace and not relisshared`;

/** Everybody who is in a world from the beginning, with secrets that all worlds share: to copy them takes a tenth of adding them. */
async function populate(adminUrl: string): Promise<void> {
  const urls = OF_PLATFORM.map((name) => [name, urlsOf(adminUrl, kindOf(name), templateOf(name))]);
  const databases = Object.fromEntries(urls) as StackDatabases;
  const secrets = worldSecrets();
  await provisionStack({ databases, secrets }, await demo(secrets, sharedCredentials));
}
