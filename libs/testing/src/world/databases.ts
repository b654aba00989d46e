import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateFeedConsumer } from '@cds/feed-consumer';
import { migratePlatform } from '@cds/platform';
import { cloneDatabases, createDatabase, databaseUrl, dropDatabase, type DatabaseUrls } from '@cds/servers';
import { DATABASES, roleIn, UNIT_NAMES, type DatabaseName, type StackDatabases, type UnitName } from '@cds/stack';
import { migrateTwofa } from '@cds/twofa';

/** A migrated database of each kind is made once per test run; every world gets copies, which takes milliseconds. */
type Kind = Exclude<DatabaseName, `region_${string}`> | 'region';

const kindOf = (name: DatabaseName): Kind => (name === 'region_eu' || name === 'region_us' ? 'region' : name);

const PASSWORD = 'only-for-tests';
const template = (kind: Kind) => ({ name: `template_${kind}`, ownerPassword: PASSWORD, appPassword: PASSWORD });
const DELIVERY = { rolePasswords: { delivery: PASSWORD } };

/** People are provisioned in all of these, whichever part of the platform is started; each of the others is for one unit alone. */
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

  private constructor(private readonly adminUrl: string) {
    this.urls = Object.fromEntries(DATABASES.map((name) => [name, urlsOf(adminUrl, kindOf(name), this.nameOf(name))])) as typeof this.urls;
  }

  static async open(adminUrl: string, units: readonly UnitName[] = UNIT_NAMES): Promise<TestDatabases> {
    await templatesOn(adminUrl);
    const databases = new TestDatabases(adminUrl);
    await databases.prepareFor(...units);
    return databases;
  }

  /** Also for units that are started later. */
  async prepareFor(...units: readonly UnitName[]): Promise<void> {
    const wanted = [...new Set(units.flatMap((unit) => OF_UNIT[unit]))];
    const missing = wanted.filter((name) => !this.copied.has(name));
    if (missing.length) {
      const copies = missing.map((name) => ({ template: template(kindOf(name)).name, clone: this.nameOf(name) }));
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

const templates = new Map<string, Promise<void>>();

/**
 * The templates on a server, made by whoever comes first. A story about an upgrade comes before any world, and has an earlier release
 * migrate them.
 */
export function templatesOn(adminUrl: string, migrate: Migrate = migrateToNewest): Promise<void> {
  const made = templates.get(adminUrl) ?? ensureTemplates(adminUrl, migrate);
  templates.set(adminUrl, made);
  return made;
}

/** Migrates templates; both regions are one of them. */
type Migrate = (databases: StackDatabases) => Promise<unknown>;
const migrateToNewest: Migrate = async ({ front_door, region_eu, feed_consumer, twofa }) => {
  const regions = [{ url: region_eu.owner, deliveryRole: roleIn(region_eu.delivery) }];
  await migratePlatform({ frontDoor: { url: front_door.owner }, regions });
  await migrateFeedConsumer({ url: feed_consumer.owner });
  await migrateTwofa({ url: twofa.owner });
};

/** Whichever test worker comes first makes them; the others wait at the lock and find them made. */
async function ensureTemplates(adminUrl: string, migrate: Migrate): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`select pg_advisory_lock(hashtext('cds test templates'))`);
    const { rowCount } = await admin.query(`select from pg_database where datname = 'template_ready'`);
    if (rowCount) return;
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
    await admin.query('create database template_ready');
  } finally {
    await admin.end();
  }
}
