import { drainChanges } from '../feed/endpoints.ts';
import { at, covers } from '../core/subjects.ts';
import { OPEN_ACCOUNT_VALUES, OPEN_VALUE, UNWRAP_ACCOUNT_VALUE } from '../decryptor/subjects.ts';
import { operation } from '../gateway/operation.ts';
import { accountsOf, type ServiceImport } from './bus-accounts.ts';
import { busUsers, internalConsumer } from './bus-users.ts';

const SHOP = internalConsumer('shop-backend', ['shop'], ['customers']);
const DESK = internalConsumer('desk-backend', ['desk']);
const USERS = busUsers(['eu', 'us'], ['shop']);
const accounts = accountsOf([...USERS, SHOP, DESK]);
const imports = (account: string) => accounts[account]!.imports as readonly ServiceImport[];

describe('the accounts of the bus', () => {
  it('exist once per user, and only operators and those who write streams have streams', () => {
    const withStreams = Object.fromEntries(Object.entries(accounts).map(([name, { jetstream }]) => [name, jetstream]));
    expect(withStreams).toEqual({
      platform: true,
      'platform-front-door': false,
      'platform-region-eu': false,
      'platform-region-us': false,
      'platform-delivery': false,
      'platform-forwarder': false,
      suite: true,
      gateway: false,
      'feed-consumer': true,
      decryptor: false,
      flows: true,
      twofa: true,
      'shop-backend': false,
      'desk-backend': false,
    });
    for (const [name, { users }] of Object.entries(accounts))
      expect(users.map(({ user }) => user)).toEqual([['platform', 'suite'].includes(name) ? `${name}-operator` : name]);
  });

  it('import for an internal consumer exactly the subjects that its user may publish', () => {
    const said = ({ service }: { service: { subject: string } }) =>
      service.subject.replace('codase.consumers.v1.wanted', '$JS.API.CONSUMER.CREATE');
    expect(imports('shop-backend').map(said)).toEqual(SHOP.publish);
    expect(accounts['desk-backend']!.imports).toContainEqual({
      service: { account: 'decryptor', subject: at(OPEN_VALUE, { service: 'desk' }) },
      to: at(OPEN_VALUE, { service: 'desk' }),
    });
  });

  it("map a consumer's stream API requests to the account that has the streams", () => {
    const { mappings = {}, users } = accounts['shop-backend']!;
    const pull = '$JS.API.CONSUMER.MSG.NEXT.FEED.shop-backend_customers_p00';
    const create = '$JS.API.CONSUMER.CREATE.FEED.shop-backend_customers_p00.codase.feed.v1.shop.*.p00';

    expect(mappings[pull]).toBe('suite.js.api.CONSUMER.MSG.NEXT.FEED.shop-backend_customers_p00');
    expect(mappings[create]).toBe('suite.js.api.CONSUMER.CREATE.FEED.shop-backend_customers_p00.codase.feed.v1.shop.{{wildcard(1)}}.p00');
    expect(users[0]!.publish.filter((subject) => subject.startsWith('$JS.API'))).toEqual([]);
  });

  it('let only the feed consumer and operators drain a feed', () => {
    const drain = at(operation(drainChanges), { service: 'shop' });
    const may = [...USERS, SHOP].filter(({ publish }) => publish.some((subject) => covers(subject, drain))).map(({ user }) => user);

    expect(may).toEqual(['platform-operator', 'suite-operator', 'feed-consumer']);
  });

  it.each([OPEN_ACCOUNT_VALUES, UNWRAP_ACCOUNT_VALUE])(
    'let only listed users and operators request values of the account: %o',
    (imported) => {
      const login = internalConsumer('login', ['shop'], [], { account: true });
      const may = [...USERS, SHOP, login].filter(({ publish }) => publish.some((subject) => covers(subject, at(imported, {}))));

      expect(may.map(({ user }) => user)).toEqual(['platform-operator', 'suite-operator', 'login']);
    },
  );

  it('let a role of the platform send only the requests that its rights list', () => {
    const subject = imports('platform-region-eu').flatMap(({ service }) => (service ? `${service.account} ${service.subject}` : []));
    expect(subject.filter((each) => !each.includes('$'))).toEqual([
      'platform-front-door codase.front-door.v1.eu.*',
      'platform-front-door codase.front-door.v1.eu.check_password.*',
      'platform-front-door codase.front-door.v1.eu.change_password.*',
      'platform-front-door codase.front-door.v1.eu.request_email_change.*',
      'platform-front-door codase.front-door.v1.eu.judge_recovery.*',
      'platform-front-door codase.front-door.v1.eu.begin_second_factor.*',
      'platform-front-door codase.front-door.v1.eu.confirm_second_factor.*',
      'platform-front-door codase.front-door.v1.eu.renew_backup_codes.*',
      'platform-front-door codase.front-door.v1.eu.end_second_factor.*',
      'platform-region-us codase.peer.v1.us.*',
      'platform-delivery codase.delivery.v1.eu.*',
    ]);
    expect(accounts['platform-region-eu']!.exports).toContainEqual({
      service: 'codase.operator.v1.region.eu.*',
      accounts: ['platform'],
    });
    expect(accounts['platform-region-eu']!.exports).toContainEqual({
      service: 'codase.peer.v1.eu.*',
      accounts: ['platform', 'platform-region-us'],
    });
  });

  it('support any number of regions', () => {
    const more = accountsOf(busUsers(['eu', 'us', 'ap'], ['shop']));
    expect(Object.keys(more)).toContain('platform-region-ap');
    expect(more['platform-region-eu']!.imports).toContainEqual({
      service: { account: 'platform-region-ap', subject: 'codase.peer.v1.ap.*' },
      to: 'codase.peer.v1.ap.*',
    });
  });

  it('export to each account exactly what it imports', () => {
    const imported = Object.entries(accounts).flatMap(([by, account]) =>
      (account.imports ?? []).map((each) => {
        const { account: from, subject } = 'stream' in each ? each.stream : each.service;
        return `${from} ${subject} ${by}`;
      }),
    );
    const exported = Object.entries(accounts).flatMap(([from, { exports = [] }]) =>
      exports.flatMap((each) => each.accounts!.map((by) => `${from} ${'stream' in each ? each.stream : each.service} ${by}`)),
    );

    expect(exported.toSorted()).toEqual([...new Set(imported)].toSorted());
  });

  it('share nothing between the platform and the suite', () => {
    const planeOf = (name: string) => accounts[name]!.users[0]!.plane;
    for (const [name, { exports = [] }] of Object.entries(accounts))
      for (const { accounts: mayImport } of exports) expect(new Set(mayImport!.map(planeOf))).toEqual(new Set([planeOf(name)]));
  });

  it.each(['gateway', 'feed-consumer', 'decryptor', 'flows', 'twofa'])(
    'do not let %s create a consumer or call the stream API directly',
    (name) => {
      const subject = (accounts[name]!.imports ?? []) as readonly ServiceImport[];

      expect(subject.filter(({ service }) => service.subject.startsWith('$JS.API.CONSUMER.CREATE'))).toEqual([]);
      expect(subject.filter(({ service }) => service.subject.startsWith('$JS.API.STREAM'))).toEqual([]);
    },
  );

  it('lead an operator to the streams of other accounts', () => {
    expect(accounts['suite']!.mappings).toMatchObject({
      '$JS.API.STREAM.*.FEED': 'suite.js.api.STREAM.{{wildcard(1)}}.FEED',
      '$JS.API.CONSUMER.*.CHALLENGES.>': 'suite.js.api.CONSUMER.{{wildcard(1)}}.CHALLENGES.>',
    });
    expect(imports('suite')).toContainEqual({
      service: { account: 'twofa', subject: '$JS.API.STREAM.*.CHALLENGES' },
      to: 'suite.js.api.STREAM.*.CHALLENGES',
    });
  });

  it('refuse a subject that nobody answers', () => {
    expect(() => accountsOf([...USERS, { ...DESK, publish: ['codase.nobody.v1.desk'] }])).toThrow('which nobody answers');
  });
});
