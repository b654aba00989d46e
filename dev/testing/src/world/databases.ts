import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateFeedConsumer } from '@codase/feed-consumer';
import { migratePlatform } from '@codase/platform';
import { cloneDatabases, createDatabase, databaseUrl, dropDatabase, type DatabaseUrls } from '@codase/servers';
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
} from '@codase/stack';
import { migrateFlows } from '@codase/flows';
import { migrateTwofa } from '@codase/twofa';
import { sharedCredentials, worldSecrets } from './shared-credentials.ts';

/**
 * The kinds of databases. A migrated template of each kind is made once per test run, and every world gets copies, which takes
 * milliseconds.
 */
type Kind = Exclude<DatabaseName, `region_${string}`> | 'region';

const kindOf = (name: DatabaseName): Kind => (name === 'region_eu' || name === 'region_us' ? 'region' : name);

const PASSWORD = 'only-for-tests';
const template = (kind: Kind) => ({ name: templateOf(kind), ownerPassword: PASSWORD, appPassword: PASSWORD });
/** Returns the name of a template. The migrated template of regions is copied for each region, because different people live in each. */
const templateOf = (name: DatabaseName | Kind): string => `template_${name}`;
const DELIVERY = { rolePasswords: { delivery: PASSWORD } };

/** The databases of the platform, which all exist whichever part of it is started. Each other database belongs to one unit alone. */
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

/** The databases of one world, copied from the templates when they are needed. */
export class TestDatabases {
  readonly urls: StackDatabases;
  private readonly world = `w_${randomBytes(6).toString('hex')}`;
  private readonly copied = new Map<DatabaseName, Promise<void>>();

  private constructor(
    private readonly adminUrl: string,
    /** Whether the users that a world has from the beginning are in the databases already. */
    readonly arePopulated: boolean,
  ) {
    this.urls = Object.fromEntries(DATABASES.map((name) => [name, urlsOf(adminUrl, kindOf(name), this.nameOf(name))])) as typeof this.urls;
  }

  static async open(adminUrl: string, units: readonly UnitName[] = UNIT_NAMES): Promise<TestDatabases> {
    const databases = new TestDatabases(adminUrl, await templatesOn(adminUrl));
    await databases.prepareFor(...units);
    return databases;
  }

  /** Copies the databases that these units need, also for units that are started later. */
  async prepareFor(...units: readonly UnitName[]): Promise<void> {
    const wanted = [...new Set(units.flatMap((unit) => OF_UNIT[unit]))];
    const missing = wanted.filter((name) => !this.copied.has(name));
    if (missing.length) {
      const copies = missing.map((name) => ({ template: templateOf(name), clone: this.nameOf(name) }));
      const copied = cloneDatabases(this.adminUrl, copies);
      for (const name of missing) this.copied.set(name, copied);
    }
    await Promise.all(wanted.flatMap((name) => this.copied.get(name) ?? []));
  }

  async drop(): Promise<void> {
    if (this.copied.size) await dropDatabase(this.adminUrl, ...[...this.copied.keys()].map((name) => this.nameOf(name)));
  }

  private nameOf(name: DatabaseName): string {
    return `${this.world}_${name}`;
  }
}

/** Returns the addresses of a copy, which keeps the roles of its template. */
function urlsOf(adminUrl: string, kind: Kind, name: string): DatabaseUrls & Partial<DatabaseUrls<'delivery'>> {
  const role = (which: string) => databaseUrl(adminUrl, { name, user: `template_${kind}_${which}`, password: PASSWORD });
  return { owner: role('owner'), app: role('app'), ...(kind === 'region' && { delivery: role('delivery') }) };
}

/** Makes the partitions that a service would otherwise make at its start: copying them takes a tenth of the time. */
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
 * Makes the templates on a server, unless they exist. Returns whether the templates have users in them. A test about an upgrade calls this
 * before any world is opened, and lets an earlier release migrate the templates: the users are then added when a world is opened.
 */
export function templatesOn(adminUrl: string, migrate?: Migrate): Promise<boolean> {
  const made = templates.get(adminUrl) ?? ensureTemplates(adminUrl, migrate);
  templates.set(adminUrl, made);
  return made;
}

/** Migrates the templates. Both regions are still one template at this time. */
type Migrate = (databases: StackDatabases) => Promise<unknown>;
const migrateToNewest: Migrate = async ({ front_door, region_eu, feed_consumer, twofa, flows }) => {
  const regions = [{ url: region_eu.owner, deliveryRole: roleIn(region_eu.delivery) }];
  await migratePlatform({ frontDoor: { url: front_door.owner }, regions });
  await migrateFeedConsumer({ url: feed_consumer.owner });
  await migrateTwofa({ url: twofa.owner });
  await migrateFlows({ url: flows.owner });
};

/** Makes the templates in the first test worker. The other workers wait for the lock and find the templates ready. */
async function ensureTemplates(adminUrl: string, migrate: Migrate | undefined): Promise<boolean> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`select pg_advisory_lock(hashtext('codase test templates'))`);
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
 * Does once what each copy would otherwise do for itself: migrations leave dead rows in the catalogs that every connection has to scan, and
 * the first connection stores what it found there for the next ones.
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

/**
 * Adds the users that a world has from the beginning, with secrets that all worlds share. Copying these users takes a tenth of the time of
 * adding them.
 */
async function populate(adminUrl: string): Promise<void> {
  const urls = OF_PLATFORM.map((name) => [name, urlsOf(adminUrl, kindOf(name), templateOf(name))]);
  const databases = Object.fromEntries(urls) as StackDatabases;
  const secrets = worldSecrets();
  await provisionStack({ databases, secrets }, await demo(secrets, sharedCredentials));
}
