import * as contracts from '@codase/contracts';
import {
  accountsOf,
  busUsers,
  companyData,
  covers,
  ENDPOINTS,
  FEED,
  FRONT_DOOR,
  internalConsumer,
  isDataOperation,
  operation,
  Refusal,
  REGION_PLUGINS,
  STATUS,
  type BusUser,
} from '@codase/contracts';
import { Bus, makeConsumers, ProjectionReader } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { DEMO, REGIONS, STOLEN_ROLES } from '@codase/stack';
import { eventually, everyStream, BusRecorder, World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { CLIENTS } from '../../../src/access/clients/index.ts';

const USERS = [...busUsers(REGIONS, [DEMO.service]), internalConsumer(DEMO.consumer, [DEMO.service], DEMO.groups)];
const isOperator = ({ user }: BusUser) => user.endsWith('-operator');
/** The users of the list of stolen roles. An operator may say and hear everything within its plane. */
const STOLEN = STOLEN_ROLES.flatMap(({ busUsers: users = [] }) => users.map((user) => USERS.find((one) => one.user === user)!));
const [OPERATORS, ROLES] = [STOLEN.filter(isOperator), STOLEN.filter((user) => !isOperator(user))];
/** The roles of which others ask something, which could be misled by a forged reply subject. `neighbour.spec.ts` has the internal ones. */
const SERVICES = ROLES.filter(({ user }) => user !== DEMO.consumer);

/** A subject that the right covers, with names in place of its wildcards. */
const concrete = (subject: string) => subject.replaceAll('*', 'x').replace(/>$/, 'x');
/** Every subject that the contracts declare. */
const DECLARED = [
  ...new Set(
    [
      ...Object.values<unknown>(contracts).flatMap((value) => [value, ...Object.values(value ?? {})]),
      ...ENDPOINTS.filter(isDataOperation).map(operation),
    ]
      .map((value) => String((value as { pattern?: string } | null)?.pattern))
      .filter((pattern) => pattern.startsWith('codase.')),
  ),
];
/** A declared subject for own and other regions and services. */
const named = (pattern: string): string[] =>
  [
    { region: 'eu', service: 'shop', name: 'gateway' },
    { region: 'us', service: 'desk', name: 'platform-front-door' },
  ].map((names) => pattern.replace(/{(\w+)}/g, (_, parameter: string) => (names as Record<string, string>)[parameter] ?? 'x'));
const EVERY_DECLARED = [...new Set(DECLARED.flatMap(named))];
const isCovered = (rights: readonly string[], subject: string) => rights.some((right) => covers(right, subject));

const STREAMS = [
  'KV_clients',
  'KV_modes',
  'KV_ended_sessions',
  'KV_field_types',
  'KV_device_keys',
  'KV_verification_providers',
  'KV_deleted_accounts',
  'KV_restore_marks',
  'PARKED',
  'FEED',
  'CHALLENGES',
  'TURNS',
];
/** Subjects of requests to the server that only the program which prepares the bus may send. */
const OF_SERVER = STREAMS.flatMap((stream) => [
  ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.GET', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE'].map(
    (verb) => `$JS.API.STREAM.${verb}.${stream}`,
  ),
  ...['CREATE', 'DURABLE.CREATE', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.anybody`),
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.anybody`,
]);
const TABLES = ['clients', 'modes', 'ended_sessions', 'field_types', 'device_keys', 'verification_providers', 'deleted_accounts'];
const ROWS = [
  ...TABLES.map((bucket) => `$KV.${bucket}.anything`),
  ...['front-door', 'region-eu', 'region-us'].map((base) => `$KV.restore_marks.${base}`),
];
/** Subjects that streams store. */
const STORED = ['codase.feed.v1.x.x.x', 'codase.challenge.v1.x.x', 'codase.parked.v1.x'];
const said = USERS.flatMap(({ subscribe }) => subscribe.filter((subject) => subject !== '>').map(concrete));
const FORGED = [...new Set([...said, ...OF_SERVER, ...ROWS, ...STORED, '$SYS.REQ.SERVER.PING', '_R_.x.y'])];
/** Requests that read a stream. The operator of this spec sends some of them itself. */
const READS = STREAMS.flatMap((stream) => [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.DIRECT.GET.${stream}`]);
const EVERYTHING_SAID = [...new Set([...FORGED, ...READS, ...EVERY_DECLARED])];
const EVERYTHING_HEARD = [
  ...new Set([
    '>',
    '$KV.>',
    '_INBOX.>',
    '$SYS.>',
    '_R_.>',
    ...USERS.flatMap(({ subscribe }) => subscribe).filter((subject) => subject !== '>'),
    ...EVERY_DECLARED,
    ...DECLARED.map((pattern) => pattern.replace(/{\w+}/g, '*')),
  ]),
];

type Message = (user_id: string) => object;
const client = (company_user_id: string) => ({ company_user_id, client_id: 'acct_x' });
const app = (company_user_id: string) => ({ company_user_id, app_id: 'app_x' });
const changedApp = (company_user_id: string) => ({ ...app(company_user_id), redirect_uris: ['https://mallory.example/back'] });
/**
 * The requests of a region to the front door, about somebody else's account. Undefined when a request is about no account, or is answered
 * to every region.
 */
const REQUESTS: Record<keyof typeof FRONT_DOOR, Message | undefined> = {
  accountOf: (user_id) => ({ user_id }),
  checkPassword: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x' }),
  changePassword: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x' }),
  requestEmailChange: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x', email: 'mallory@example.org' }),
  confirmEmailChange: (user_id) => ({ user_id, code: 'AB23CD45' }),
  sendRecoveryCode: (user_id) => ({ user_id }),
  judgeRecovery: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x', code: 'AB23CD45', act: 'recover', object: 'copy_x' }),
  readSecondFactor: (user_id) => ({ user_id }),
  beginSecondFactor: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x', reply_key: 'x'.repeat(43) }),
  confirmSecondFactor: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x', reply_key: 'x'.repeat(43) }),
  renewBackupCodes: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x', reply_key: 'x'.repeat(43) }),
  endSecondFactor: (user_id) => ({ user_id, address: '192.0.2.1', sealed: 'x' }),
  listTrustedBrowsers: (user_id) => ({ user_id }),
  forgetTrustedBrowser: (user_id) => ({ user_id, device_id: 'dev_x' }),
  listPhones: (user_id) => ({ user_id }),
  addPhone: (user_id) => ({ user_id, session_id: 'ses_x', name: 'x' }),
  removePhone: (user_id) => ({ user_id, device_id: 'dev_x' }),
  requestDeletion: (user_id) => ({ user_id }),
  confirmDeletion: (user_id) => ({ user_id, code: 'AB23CD45' }),
  beginMove: (user_id) => ({ user_id, to: 'eu' }),
  registerClient: (company_user_id) => ({
    ...client(company_user_id),
    kind: 'account',
    service_id: null,
    name: 'x',
    purpose: null,
    capabilities: [],
    redirect_uri: null,
    secret_digest: 'x',
  }),
  readClient: client,
  readSecretIds: (company_user_id) => ({ company_user_id, client_ids: ['acct_x'] }),
  listClients: (company_user_id) => ({ company_user_id, limit: 1 }),
  changeClient: client,
  replaceSecret: (company_user_id) => ({ ...client(company_user_id), secret_digest: 'x' }),
  rotateSecret: (company_user_id) => ({ ...client(company_user_id), secret_digest: 'x', keep_old_hours: 1 }),
  endOldSecret: client,
  readKeys: client,
  setKeys: (company_user_id) => ({ ...client(company_user_id), keys: [], required: false }),
  deleteClient: client,
  registerApp: (company_user_id) => ({
    ...changedApp(company_user_id),
    name: 'x',
    claims: [],
    claims_delivery: 'encrypted',
    revision: 'rev_x',
    secret_digest: 'x',
  }),
  readApp: app,
  listApps: (company_user_id) => ({ company_user_id, limit: 1 }),
  changeApp: changedApp,
  listSignIns: (user_id) => ({ user_id }),
  answerSignIn: (user_id) => ({ user_id, sign_in_id: 'ses_x', sealed_values: null }),
  withdrawClient: (company_user_id) => ({ company_user_id, service_id: 'ser_x' }),
  homeOf: undefined,
  homesOf: undefined,
  /** Lists accounts of the region that asks alone. */
  listLapsed: undefined,
  whoHas: undefined,
  passwordKey: undefined,
  /** Is refused when the session that it finds belongs to another region. */
  rotateRefresh: undefined,
  /** Changes nothing when the caller does not know the secret. */
  rehashSecret: undefined,
  /** Is about no account: the front door believes a region that can seal about its certificates. */
  registerCertificates: undefined,
  listCertificates: undefined,
  /** Is about no account: the log of the front door is public. */
  followLog: undefined,
  /** Tells whoever names an owner and a key that the two belong together, and nothing else. */
  proveKey: undefined,
};
const ABOUT_ACCOUNTS = Object.fromEntries(Object.entries(REQUESTS).filter(([, message]) => message));

describe('a compromised bus user', () => {
  let world: World;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] });
    operator = await world.operator('platform');
    await makeConsumers(await world.busAs('feed-consumer'), FEED.stream!, silentLog);
  });
  afterAll(() => world?.close());

  it('is tried with every subject that is declared', () => {
    expect(DECLARED.length).toBeGreaterThan(200);
  });

  describe.each(ROLES.map((role) => [role.user, role] as const))('%s', (user, rights) => {
    let bus: Bus;
    const refused = new Set<string>();
    beforeAll(async () => {
      bus = await world.busAs(user);
      void watch();
    });

    it('publishes only to subjects in its rights', async () => {
      const forbidden = EVERYTHING_SAID.filter((subject) => !isCovered(rights.publish, subject));

      for (const subject of forbidden) bus.connection.publish(subject, '{}');

      expect(forbidden.length).toBeGreaterThan(50);
      await eventually(async () => forbidden.every((subject) => refused.has(`Publish to "${subject}"`)) || undefined);
    });

    it('subscribes only to subjects in its rights', async () => {
      const forbidden = EVERYTHING_HEARD.filter((subject) => !isCovered(rights.subscribe, subject));

      for (const subject of forbidden) bus.connection.subscribe(subject, { callback: () => undefined });

      expect(forbidden.length).toBeGreaterThan(30);
      await eventually(async () => forbidden.every((subject) => refused.has(`Subscription to "${subject}"`)) || undefined);
    });

    async function watch(): Promise<void> {
      for await (const status of bus.connection.status())
        if (status.type === 'error') refused.add(/Permissions Violation for (.*"[^"]*")/.exec(status.error.message)?.[1] ?? '');
    }
  });

  /** The server answers to the subject that a request names, and checks nobody's rights for it (decision 44). */
  describe.each(SERVICES.map((role) => [role.user, role] as const))('%s, with a forged reply subject', (user, role) => {
    it('cannot write to buckets or streams of others, delete a stream or send requests to others', async () => {
      const targets = FORGED.filter((subject) => !isCovered(role.publish, subject) && !isCovered(role.subscribe, subject));
      const heard = await heardBeyond(role.account);
      const attacker = await world.busAs(user);
      const before = await othersThan(role);

      for (const requestSubject of role.publish.filter((subject) => !subject.startsWith('$KV')).map(concrete))
        for (const target of targets) attacker.connection.publish(requestSubject, '{"seq":1,"next_by_subj":">"}', { reply: target });
      await attacker.connection.flush();
      if (role.publish.length > 0) await eventually(async () => heard.subjects.length > 0 || undefined);
      const last = role.publish.find((subject) => subject.startsWith(role.plane === 'platform' ? 'codase.' : '$JS.API.'));
      // The answer to this request comes after the answers to all requests before it.
      if (last) await attacker.connection.request(concrete(last), '{}', { timeout: 5000 }).catch(() => undefined);

      expect(heard.subjectsBut(isMark).filter((subject) => targets.includes(subject))).toEqual([]);
      expect(await othersThan(role)).toEqual(before);
    });
  });

  /** Whether a base has noted how far its audit goes, as it does by itself: an answer to a forged request has no such text. */
  const isMark = ({ subject, text }: { subject: string; text: string }) =>
    subject.startsWith('$KV.restore_marks.') && /\{"epoch":\d+,"txid":"\d+","seq":"\d+"\}/.test(text);

  /** The states of the streams that a role may not write to. */
  async function othersThan({ publish }: BusUser): Promise<Record<string, number>> {
    const own = [
      ['suite FEED', 'codase.feed.'],
      ['suite PARKED', 'codase.parked.'],
      ['suite CHALLENGES', 'codase.challenge.'],
      ['suite TURNS', 'codase.turn.'],
    ].flatMap(([stream, subjects]) => (publish.some((subject) => subject.startsWith(subjects!)) ? [stream] : []));
    return Object.fromEntries(Object.entries(await streamStates()).filter(([name]) => !own.includes(name)));
  }

  it.each(OPERATORS.map(({ user, plane }) => [user, plane] as const))('%s reaches nobody of the other plane', async (user, plane) => {
    const other = plane === 'platform' ? 'suite' : 'platform';
    const heard = await BusRecorder.begin(...(await world.observers(other)));
    const attacker = await world.busAs(user);
    const theirs = USERS.filter((one) => one.plane === other && !isOperator(one)).flatMap(({ subscribe }) => subscribe.map(concrete));
    const streams = (await everyStream(await world.operator(other))).map(({ config }) => config.name);
    const before = await streamStates();

    const deletions = streams.filter((name) => name !== 'PARKED').map((name) => `$JS.API.STREAM.DELETE.${name}`);
    for (const subject of [...theirs, ...deletions]) attacker.connection.publish(subject, 'from the other plane');
    await attacker.connection.flush();
    (await world.operator(other)).connection.publish('codase.last', '');
    await eventually(async () => heard.subjects.includes('codase.last') || undefined);

    expect(theirs.length).toBeGreaterThan(20);
    expect(heard.text()).not.toContain('from the other plane');
    expect(Object.keys(await streamStates())).toEqual(Object.keys(before));
  });

  it('the forwarder gets nothing and changes nothing by a plugin or a call that it does not know', async () => {
    const forwarder = await world.busAs('platform-forwarder');
    const field = { field_type: 'place', label: 'Place', blocks: [], inputs: [], outputs: [] };
    const description = { name: 'Forged', public_key: SERVICE_KEYS[2].public_key, field_types: [field] };
    const answers = {
      begin: { plugin_id: 'plug_x', use: 'registry', sealing_key: Buffer.alloc(32, 1).toString('base64url') },
      end: { call_id: 'call_x', error: null },
      describe: { call_id: 'call_x', description },
    } satisfies Record<keyof typeof REGION_PLUGINS, object>;

    const given = Object.entries(answers).map(async ([name, message]) => {
      const subject = `codase.plugins.v1.eu.${name}`;
      const answer = await forwarder.connection.request(subject, JSON.stringify(message), { timeout: 60_000 });
      return [name, Refusal.fromBody(answer.json())?.key ?? answer.json()];
    });

    expect(Object.fromEntries(await Promise.all(given))).toEqual({ begin: 'plugin.not_found', end: null, describe: 'plugin.not_found' });
  });

  it('an operator in the account of the streams can write to a bucket by a reply subject', async () => {
    const before = await streamStates();

    operator.connection.publish('$JS.API.STREAM.INFO.KV_modes', '', { reply: '$KV.modes.anything' });

    const grown = async () => (await streamStates())['platform KV_modes']! > before['platform KV_modes']!;
    expect(await eventually(async () => (await grown()) || undefined)).toBe(true);
  });

  const OUT_OF_REACH = [
    'codase.feed.v1.shop.field_updated.p00',
    'codase.challenge.v1.shop.approved',
    'codase.parked.v1.shop-backend_customers_p00',
    'codase.gateway.v1.shop.end_connection',
    'codase.decryptor.v1.shop.open',
    '$JS.API.STREAM.DELETE.PARKED',
    '$JS.API.STREAM.DELETE.FEED',
    'suite.js.api.STREAM.DELETE.FEED',
  ];

  it("twofa cannot redirect its consumer's answers or deliveries to subjects of others", async () => {
    const heard = await heardBeyond('twofa');
    const before = await streamStates();
    const twofa = await world.busAs('twofa');
    const targets = OUT_OF_REACH.filter((target) => !target.startsWith('codase.challenge.')); // the others are its own
    const filter_subject = 'codase.feed.v1.*.2fa_challenge_completed.*';
    const create = async (config: object) => {
      const wish = { stream_name: 'FEED', config: { durable_name: 'twofa_outcomes', ack_policy: 'explicit', filter_subject, ...config } };
      const made = await twofa.connection.request(`$JS.API.CONSUMER.CREATE.FEED.twofa_outcomes.${filter_subject}`, JSON.stringify(wish), {
        timeout: 60_000,
      });
      return made.json();
    };

    for (const target of targets) expect(await create({ deliver_subject: target })).toMatchObject({ error: { code: 400 } });
    expect(await create({})).toMatchObject({ name: 'twofa_outcomes' });
    for (const reply of targets) {
      twofa.connection.publish('$JS.API.CONSUMER.INFO.FEED.twofa_outcomes', '', { reply });
      twofa.connection.publish('$JS.API.CONSUMER.MSG.NEXT.FEED.twofa_outcomes', '{"no_wait":true}', { reply });
    }
    await create({}); // its answer comes after all answers before it

    expect(heard.subjects.filter((subject) => targets.includes(subject))).toEqual([]);
    expect(await streamStates()).toEqual(before);
  });

  it('the feed consumer cannot have events delivered beyond its own account', async () => {
    const heard = await heardBeyond('feed-consumer');
    const feedConsumer = await world.busAs('feed-consumer');
    const before = await streamStates();
    // Its own subjects are left out: the server delivers nothing to them.
    const targets = OUT_OF_REACH.filter((target) => !target.startsWith('codase.feed.'));

    for (const [nth, deliver_subject] of targets.entries()) {
      const config = { durable_name: `sly_${nth}`, ack_policy: 'none', deliver_subject, filter_subject: 'codase.feed.v1.sly.x.p00' };
      const made = await feedConsumer.connection.request(
        `$JS.API.CONSUMER.CREATE.FEED.sly_${nth}.codase.feed.v1.sly.x.p00`,
        JSON.stringify({ stream_name: 'FEED', config }),
        { timeout: 60_000 },
      );
      expect(made.json()).toMatchObject({ name: `sly_${nth}` });
    }
    await feedConsumer.streams.publish('codase.feed.v1.sly.x.p00', '');
    const { consumers } = await (await world.operator('suite')).manager();
    for (const nth of targets.keys())
      await eventually(async () => (await consumers.info('FEED', `sly_${nth}`)).num_pending === 1 || undefined); // the event waits for ever

    expect(heard.subjects.filter((subject) => OUT_OF_REACH.includes(subject))).toEqual([]);
    expect(await streamStates()).toEqual({ ...before, 'suite FEED': before['suite FEED']! + 1 });
  });

  /** Listens to what is published in the accounts of everybody else. */
  async function heardBeyond(account: string): Promise<BusRecorder> {
    const others = Object.keys(accountsOf(USERS)).filter((other) => other !== account);
    return BusRecorder.begin(...(await Promise.all(others.map((other) => world.busAs(`observer-${other}`)))));
  }

  it('region eu can neither receive nor forge an answer to region us', async () => {
    const [eu, us] = [await world.busAs('platform-region-eu'), await world.busAs('platform-region-us')];
    const inbox = us.newInbox();
    const answers: string[] = [];
    us.connection.subscribe(inbox, { callback: (_, message) => void answers.push(message.string()) });
    await us.connection.flush();

    eu.connection.publish('codase.front-door.v1.eu.home_of', JSON.stringify({ user_id: world.acme.user_id }), { reply: inbox });
    eu.connection.publish(inbox, 'forged');
    await eu.connection.flush();
    us.connection.publish('codase.front-door.v1.us.home_of', JSON.stringify({ user_id: world.acme.user_id }), { reply: inbox });

    await eventually(async () => answers.length > 0 || undefined);
    expect(answers).toEqual(['{"region":"eu"}']);
  });

  it.each(Object.entries(ABOUT_ACCOUNTS))('region eu is refused %s for an account of region us', async (name, message) => {
    const { user_id } = world.bolt;
    const { pattern } = FRONT_DOOR[name as keyof typeof FRONT_DOOR];
    const subject = pattern.replace('{region}', 'eu').replace('{replica}', await frontDoorReplica());

    const eu = await world.busAs('platform-region-eu');
    const answer = await eu.connection.request(subject, JSON.stringify(message!(user_id)), { timeout: 5000 });

    expect(Refusal.fromBody(answer.json())?.key).toBe('region.rebase_required');
  });

  async function frontDoorReplica(): Promise<string> {
    return (await operator.request(FRONT_DOOR.passwordKey, { region: 'eu' }, {})).replica;
  }

  it('an invalid row of a replicated table is replaced, and the client is served again', async () => {
    const { client_id } = world.shop;
    const rows = await ProjectionReader.open(operator, CLIENTS, silentLog);
    const row = rows.get(client_id);
    const { version } = rows;

    await operator.streams.publish(`$KV.clients.${client_id}`, '{"client_id":"x"}');
    await eventually(async () => (rows.version >= version + 2 && rows.isFollowing) || undefined);

    expect(rows.get(client_id)).toEqual(row);
    const isReady = async () => (await operator.request(STATUS, { name: 'platform-region-eu' }, {})).ready;
    await eventually(async () => (await isReady()) || undefined);
    await expect(world.shop.asks(companyData.whoami, {})).resolves.toBeDefined();
    await rows.close();
  });

  /** The last sequence of each stream but one: the bases write their restore marks by themselves, whenever the audit has grown. */
  async function streamStates(): Promise<Record<string, number>> {
    const states: Record<string, number> = {};
    for (const plane of ['platform', 'suite'] as const) {
      for (const { config, state } of await everyStream(await world.operator(plane))) states[`${plane} ${config.name}`] = state.last_seq;
    }
    delete states['platform KV_restore_marks'];
    return states;
  }
});
