import { accountsOf, busUsers, internalConsumer, PARKED, STREAM_ACCOUNTS, type BusUser } from '@codase/contracts';
import {
  clientSecret,
  DATABASES,
  DEMO,
  describeUnits,
  portsFrom,
  REGIONS,
  STOLEN_ROLES,
  type DatabaseName,
  type StackDatabases,
  type StolenRole,
} from '@codase/stack';
import { RecordingSecrets } from './recording-secrets.ts';
import type { DatabaseGrants } from './table-grants.ts';

export const PERMISSIONS_FILE = 'docs/permissions.md';

const USERS: readonly BusUser[] = [...busUsers(REGIONS, [DEMO.service]), internalConsumer(DEMO.consumer, [DEMO.service], DEMO.groups)];

/** Returns the page that says who may do what, from the lists that the bus, the databases and the processes are configured with. */
export function permissionsText(grants: Readonly<Record<DatabaseName, DatabaseGrants>>): string {
  const parts = [
    '# Who may do what',
    paragraph(
      'Generated from the permissions of the default stack: `npm run permissions -- --write`. `npm test` compares it with them, and tries',
      'what is not in it: the last table names the tests. Decisions [44](decisions/0044-give-each-role-of-the-platform-a-nats-account.md),',
      '[53](decisions/0053-give-each-service-of-the-suite-a-nats-account.md) and',
      '[172](decisions/0172-attack-each-stolen-role-from-one-list.md) say why.',
    ),
    '## What each process is given',
    table(['Process', 'Bus user', 'Database roles', 'Secrets'], processes()),
    paragraph(
      'Passwords of bus users and databases are meant by the columns before. The owner roles of the databases, and the users',
      '`platform-operator` and `suite-operator`, are given to no process: they belong to whoever prepares the stack and operates it.',
    ),
    '## Users of the bus',
    paragraph(
      'What is not listed is refused by the server. A user may also answer what it was asked.',
      'Subjects that differ in their last word stand in braces.',
    ),
    table(['User', 'Account', 'May publish', 'May subscribe'], USERS.map(busUser)),
    '## Accounts of the bus',
    'What is said in one account is not heard in another, but for what is exported here. An answer goes back to the account that asked.',
    table(['Account', 'Streams', 'Lets ask or hear', 'Who'], accounts()),
    paragraph(
      '**What remains.** Whoever makes consumers of a stream can have the server say anything in the account of that stream. So the feed',
      'consumer, in the wrong hands, could delete `FEED`, which it alone writes, twofa `CHALLENGES`, flows `TURNS`. They reach no other.',
    ),
    '## Streams and buckets',
    table(['Name', 'Account', 'Written by', 'Read by'], streams()),
    paragraph(
      'Operators write and read them all. Others have their consumers made by the service that has the stream, and internal consumers for',
      'their own services alone.',
    ),
    '## Databases',
    'Each role may connect to its own database and to no other. The owner changes tables, in migrations; the app changes rows.',
    table(
      ['Database', 'Tables', 'The app may', 'Lent by the owner'],
      DATABASES.flatMap((name) => databaseRows(name, grants[name])),
    ),
    paragraph(
      'Row security: in the tables of a region that follow, a connection of a region or of the delivery sees and writes the rows of the',
      'company for which it is set, or of every company for work that is not of one company, or none. A call over HTTP is for the company',
      'of its caller alone, unless a person calls, or a company as a customer',
      '([decision 148](decisions/0148-restrict-connections-to-the-rows-of-one-company.md)):',
      `${grants.region_eu.byCompany.map(code).join(', ')}.`,
    ),
    paragraph(
      'The delivery faces the internet, and has a role of its own in the database of each region. What is not listed it may not.',
      'It may delete events of pull feeds too, which are in the same table as those of webhooks.',
    ),
    table(
      ['Table', 'The delivery may'],
      grants.region_eu.delivery.map(({ tables, rights }) => [tables, rights]),
    ),
    `Lent to it by the owner: ${grants.region_eu.lentToDelivery.map(code).join(', ')}.`,
    '## As each stolen role',
    paragraph(
      'What a thief can do who has the password or secret of one role, and nothing else. Each test named here takes the role from the same',
      'list and tries everything with it. A process that is broken into has all that the first table gives it: look at several rows then.',
      'Every role can also use up what it shares with others: connections, CPU, the disk. A database role can change its own password,',
      'hold locks, and store large objects that nobody reads.',
    ),
    table(['Role', 'With', 'Can', 'Cannot', 'Shown by', 'What remains'], STOLEN_ROLES.map(stolenRole)),
  ];
  return `${parts.join('\n\n')}\n`;
}

const paragraph = (...lines: string[]): string => lines.join('\n');

const ports = portsFrom(4000);
const DATABASE_ROLES = ['owner', 'app', 'delivery'];

function processes(): string[][] {
  const secrets = new RecordingSecrets();
  for (const owner of Object.values(DEMO.keys)) {
    secrets.put(`keys/${owner}.pem`, `private key of ${owner}`);
    secrets.put(`keys/${owner}.passphrase`, `passphrase of ${owner}`);
  }
  const url = (role: string) => `postgres://${role}:secret@127.0.0.1/${role}`;
  const databases = Object.fromEntries(
    DATABASES.map((name) => [name, Object.fromEntries(DATABASE_ROLES.map((role) => [role, url(`${name}_${role}`)]))]),
  );
  const units = describeUnits({
    ports,
    secrets,
    databases: databases as unknown as StackDatabases,
    nats: { url: 'nats://127.0.0.1:4022', credentials: (user) => ({ user, password: `password of ${user}` }) },
    services: { [DEMO.service]: { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) } },
  });
  return units.map(({ name, env }) => {
    const given = JSON.stringify(env);
    const roles = DATABASES.flatMap((database) => DATABASE_ROLES.map((role) => `${database}_${role}`)).filter((role) =>
      given.includes(`${role}:`),
    );
    return [name, env['NATS_USER']!, roles.map(code).join(', '), secrets.secretsOf(name).map(code).join(', ')];
  });
}

const busUser = ({ user, account, publish, subscribe }: BusUser): string[] => [
  code(user),
  code(account),
  together(publish).map(code).join('<br>'),
  together(subscribe).map(code).join('<br>'),
];

function accounts(): string[][] {
  return Object.entries(accountsOf(USERS)).flatMap(([name, { jetstream, exports = [] }]) => {
    const rows = exports.map((each) => ['stream' in each ? `${each.stream} (heard)` : each.service, (each.accounts ?? []).join(', ')]);
    const who = [...new Set(rows.map(([, by]) => by!))];
    const cells = who.map((by) => [
      together(rows.filter((row) => row[1] === by).map(([subject]) => subject!))
        .map(code)
        .join('<br>'),
      by,
    ]);
    return (cells.length > 0 ? cells : [['', '']]).map((row, nth) => [
      nth === 0 ? code(name) : '',
      nth === 0 && jetstream ? 'yes' : '',
      ...row,
    ]);
  });
}

function streams(): string[][] {
  const services = USERS.filter(({ user }) => !user.endsWith('-operator'));
  const names = (isIts: (user: BusUser) => boolean) =>
    services
      .filter(isIts)
      .map(({ user }) => user)
      .join(', ');
  const buckets = [...new Set(services.flatMap(({ publish }) => publish.flatMap((subject) => /^\$KV\.(\w+)\./.exec(subject)?.[1] ?? [])))];
  return [
    ...buckets.map((bucket) => [
      code(bucket),
      'platform',
      names(({ publish }) => publish.some((subject) => subject.startsWith(`$KV.${bucket}.`))),
      names(({ publish }) => publish.includes(`$JS.API.DIRECT.GET.KV_${bucket}`)),
    ]),
    ...STREAM_ACCOUNTS.map(({ subject: { stream, pattern }, account }) => [
      code(stream!),
      stream === PARKED.stream ? `${account}, and an empty one in platform` : account,
      names(({ publish }) => publish.some((subject) => subject.startsWith(pattern.split('{')[0]!))),
      names(({ publish }) => publish.some((subject) => subject.startsWith(`$JS.API.CONSUMER.MSG.NEXT.${stream}.`))),
    ]),
  ];
}

const stolenRole = ({ name, busUsers = [], databaseRoles = [], holds, can, cannot, shownBy, remains }: StolenRole): string[] => [
  name,
  [...busUsers, ...databaseRoles].map(code).join('<br>') || holds!,
  can,
  cannot,
  shownBy.map((file) => `[${file.slice(file.lastIndexOf('/') + 1)}](../${file})`).join('<br>'),
  remains,
];

const databaseRows = (name: DatabaseName, { tables, lent }: DatabaseGrants): string[][] =>
  tables.map(({ tables: which, rights }, nth) => [nth === 0 ? code(name) : '', which, rights, nth === 0 ? lent.map(code).join(', ') : '']);

/** Groups subjects. All partitions are written as one, `pNN`, and subjects that differ in their last word stand together. */
function together(subjects: readonly string[]): string[] {
  const groups = new Map<string, string[]>();
  for (const subject of new Set(subjects.map((each) => each.replace(/\bp\d\d\b|(?<=_)p\d\d\b/g, 'pNN')))) {
    const at = subject.lastIndexOf('.') + 1;
    const [head, last] = [subject.slice(0, at), subject.slice(at)];
    groups.set(head, [...(groups.get(head) ?? []), last]);
  }
  return [...groups].flatMap(([head, last]) => (last.length > 2 ? [`${head}{${last.join(', ')}}`] : last.map((each) => `${head}${each}`)));
}

const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
