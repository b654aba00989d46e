import { DATABASES, REGIONS } from './layout.ts';
import { DEMO } from './demo.ts';

/** A role in the hands of a thief: what its password or secret allows, what tests show that it does not allow, and what remains. */
export interface StolenRole {
  name: string;
  /** The users of the bus and the roles of databases whose passwords the thief has. */
  busUsers?: readonly string[];
  databaseRoles?: readonly string[];
  /** What the thief has where it is neither of them. */
  holds?: string;
  can: string;
  cannot: string;
  /** The specs that try what the role cannot do. */
  shownBy: readonly string[];
  remains: string;
}

/** Tries every subject of the bus with the password of each bus user that stands in the list. */
const BUS_SPEC = 'apps/platform/test/foundation/regions/compromised-roles.spec.ts';
/** Tries every table and function with the password of each database role that stands in the list. */
const DATABASE_SPEC = 'apps/platform/test/foundation/regions/compromised-database-roles.spec.ts';
const OWN_SUBJECTS = 'publish or subscribe to any other subject, or have the server do so by a reply subject';
const OWN_DATABASE = 'connect to another database, change tables, triggers or rights, call functions of the server that reach beyond rows';
const OWN_AUDIT = 'change or delete rows of the audit, or number them; drop months of it that are younger than a year; ';

/** What a thief does with rows: the rows of a service are what the service believes. */
const REMAINS_OF_APP: Readonly<Record<(typeof DATABASES)[number], string>> = {
  front_door:
    'It makes itself any account: it replaces e-mail addresses, hashes of passwords and secrets of clients, and grants. It writes false ' +
    'rows of the audit, which the log then holds for ever.',
  region_eu: ofRegion('eu'),
  region_us: ofRegion('us'),
  feed_consumer: 'It reads, deletes and invents events that wait, whose values are sealed.',
  flows: 'It reads sealed answers and the state of runs, and has flows do what its rows say.',
  twofa: 'It reads which logins wait, and writes outcomes that services believe.',
};

/**
 * Every role of the default stack, as a thief has it. `docs/permissions.md` is generated from this list, and the specs take the users and
 * roles from it that they attack, so a role without a row fails a test.
 */
export const STOLEN_ROLES: readonly StolenRole[] = [
  {
    name: "a region's bus user",
    busUsers: REGIONS.map((region) => `platform-region-${region}`),
    can:
      'act and read for users who live in the region, at every other region and at the front door; answer requests in the place of ' +
      'the region',
    cannot: `act or read for users of another region; ask the front door about them; answer for another region; ${OWN_SUBJECTS}`,
    shownBy: [
      BUS_SPEC,
      'apps/platform/test/foundation/peers/stolen-region.spec.ts',
      'apps/platform/test/access/devices/act-statements.spec.ts',
    ],
    remains:
      'It acts for its own users, except where a device has to sign. For a minute it speaks for a company that has just moved away. It ' +
      'reads and deletes contents of files of runs, and reads languages of profiles, whose random ids it knows. It writes its own mark ' +
      'of restores.',
  },
  {
    name: "the front door's bus user",
    busUsers: ['platform-front-door'],
    can:
      'write the tables that regions follow (clients, modes, sessions, field types, keys of devices), and have regions move companies ' +
      'or delete accounts',
    cannot: `speak as a region to another one, so act for a user there; write marks of restores of regions; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC],
    remains:
      'Regions believe it: it can register a client, or a device, for anybody and use it, move companies and delete accounts. The audit ' +
      'of the regions, which it cannot change, has what was done.',
  },
  {
    name: "the delivery's bus user",
    busUsers: ['platform-delivery'],
    can: 'read the modes of regions, and answer tests of webhooks',
    cannot: `ask a region or the front door anything; read another table that regions follow; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC],
    remains: 'A company that tests a webhook may be told a false result.',
  },
  {
    name: "the forwarder's bus user",
    busUsers: ['platform-forwarder'],
    can: 'ask a region where a plugin is, with its token, and store the description of a plugin while a call of it lasts',
    cannot: `ask anything else of a region; read questions or replies, which are sealed; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC],
    remains: 'It gets addresses and tokens of plugins whose random ids it knows, and uses up their calls.',
  },
  {
    name: 'an operator of the platform',
    busUsers: ['platform-operator'],
    can: 'everything on the bus of the platform: all requests of operators, all streams and buckets',
    cannot: 'speak to a region for any user; reach the bus of the suite',
    shownBy: [BUS_SPEC, 'apps/platform/test/foundation/peers/stolen-region.spec.ts'],
    remains:
      'All that an operator may do, and all that the front door may write: false clients, and keys of devices. The audit has the acts of ' +
      'operators. No process has this password.',
  },
  {
    name: 'an operator of the suite',
    busUsers: ['suite-operator'],
    can: 'everything on the bus of the suite: all requests to its services, all streams',
    cannot: 'have a value opened, since the decryptor answers the callers on its list alone; reach the bus of the platform',
    shownBy: [BUS_SPEC, 'apps/decryptor/test/callers.spec.ts'],
    remains: 'It acts as the company for each of its services, and reads events, whose values are sealed. No process has this password.',
  },
  {
    name: 'the gateway',
    busUsers: ['gateway'],
    can: 'receive what services of the company request of the platform, and answer it',
    cannot: `ask any service of the suite; open a value; read or write a stream; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC],
    remains:
      'Answers can be false, but not sealed values in them, which open with the right key alone. Its process has the secrets of clients.',
  },
  {
    name: 'the feed consumer',
    busUsers: ['feed-consumer'],
    can: 'drain the events of every service of the company, list connections, open envelopes of webhooks, write the stream FEED',
    cannot: `open a value in an event; call any other operation of the gateway; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC, 'apps/decryptor/test/callers.spec.ts'],
    remains:
      'It loses, deletes or invents events, and deletes FEED. A false event has no value that opens. A comparison finds the difference.',
  },
  {
    name: 'the decryptor',
    busUsers: ['decryptor'],
    can: 'receive requests to open values, and answer them',
    cannot: `ask the gateway or any other service; read a stream; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC],
    remains:
      'It sees what it is sent, and answers false plaintexts. Its process has the private keys: with them everything sealed to them opens.',
  },
  {
    name: 'flows',
    busUsers: ['flows'],
    can: 'play the flows of the services that it is given: read, start and answer runs, have their answers opened, 10,000 a minute',
    cannot: `ask the gateway, the forwarder or the decryptor for another service of the company; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC, 'tools/src/nats-accounts/nats-accounts.spec.ts', 'apps/decryptor/test/callers.spec.ts'],
    remains:
      'Everything in runs of these services, in the name of the company. It learns which runs of other services move, by their ids, and ' +
      'can delete the stream TURNS.',
  },
  {
    name: 'twofa',
    busUsers: ['twofa'],
    can: 'raise and poll challenges of every service of the company, write the stream CHALLENGES',
    cannot: `call any other operation of the gateway; have a value opened; approve a challenge; ${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC, 'apps/platform/test/access/devices/act-statements.spec.ts'],
    remains: 'It tells services of the company that a login was approved when nobody approved it, and deletes CHALLENGES.',
  },
  {
    name: "a company's own service",
    busUsers: [DEMO.consumer],
    can: 'all that the company lets it do for its services: call the gateway, open values, raise challenges, take turns, consume events',
    cannot:
      'ask for a service that is not its own; read events of another one; take the answers or events of another consumer; ' +
      `${OWN_SUBJECTS}`,
    shownBy: [BUS_SPEC, 'e2e/test/neighbour.spec.ts'],
    remains:
      "Everything of its own services: it is the company's backend for them. `per_minute` in CALLERS limits how many values it opens.",
  },
  ...DATABASES.map((database) => appRole(database)),
  {
    name: "the delivery's role in a region's database",
    databaseRoles: REGIONS.map((region) => `region_${region}_delivery`),
    can: 'the statements of the delivery: the table "The delivery may" above lists them',
    cannot:
      'touch any other table or column, such as keys, addresses of webhooks, logs and the audit; call functions of the owner; ' +
      `${OWN_DATABASE}`,
    shownBy: [DATABASE_SPEC],
    remains:
      'It deletes waiting events and mails, writes mails, reads sealed values and addresses of administrators, and holds locks that ' +
      'other statements wait for.',
  },
  {
    name: 'the owner of a database',
    databaseRoles: DATABASES.map((database) => `${database}_owner`),
    can: 'everything in its database, with the audit in it',
    cannot: 'connect to another database; change the audit unseen by the other bases',
    shownBy: [DATABASE_SPEC, 'apps/platform/test/access/transparency/log-mirror.spec.ts'],
    remains: 'All rows of the database. No process has this password but the migration.',
  },
  {
    name: 'a client secret of a service',
    holds: "the id and secret of a service's client, from which a token is made",
    can: 'everything that the API gives the service: read its customers, sealed, and write to them, raise challenges, drain its feed',
    cannot: 'call what a portal or an account may call; find anything by an id of another company, or of another service of the same one',
    shownBy: ['apps/platform/test/every-route/checks.spec.ts', 'apps/platform/test/every-route/tenants.spec.ts'],
    remains:
      'Values stay sealed. Events that are drained are gone, unless with a lease. Ended at once by a new secret, or by a key in its place.',
  },
  {
    name: 'a removed device',
    holds: 'the key of the device, its access token and its refresh token',
    can: 'nothing',
    cannot: 'call any route with its token and a fresh proof; refresh; sign in; sign an act, also with the token of another session',
    shownBy: ['apps/platform/test/access/devices/removed-device.spec.ts'],
    remains: 'What it had read. Each region learns of the removal in moments, when its bus works.',
  },
];

/** Returns the row of the app role of a database. */
function appRole(database: (typeof DATABASES)[number]): StolenRole {
  const hasAudit = database === 'front_door' || database.startsWith('region_');
  return {
    name: `the app role of ${database}`,
    databaseRoles: [`${database}_app`],
    can: 'read and change rows of its own database',
    cannot: `${hasAudit ? OWN_AUDIT : ''}${OWN_DATABASE}`,
    shownBy: [DATABASE_SPEC, ...(hasAudit ? ['apps/platform/test/foundation/audit/audit-table.spec.ts'] : [])],
    remains: REMAINS_OF_APP[database],
  };
}

function ofRegion(region: (typeof REGIONS)[number]): string {
  const others = 'reads sealed values and addresses, replaces public keys so that new values are sealed to it, and deletes rows';
  return `For users of ${region} it ${others}. It writes false rows of the audit, which the log then holds for ever.`;
}
