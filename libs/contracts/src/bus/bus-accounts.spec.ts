import { drainChanges } from '../feed/endpoints.ts';
import { at } from '../core/subjects.ts';
import { OPEN_VALUE } from '../decryptor/subjects.ts';
import { FEED } from '../feed-consumer/subjects.ts';
import { operation } from '../gateway/operation.ts';
import { accountsOf, type ServiceExport, type ServiceImport } from './bus-accounts.ts';
import { busUsers, internalConsumer } from './bus-users.ts';

const SHOP = internalConsumer('shop-backend', ['shop'], ['customers']);
const DESK = internalConsumer('desk-backend', ['desk']);
const USERS = busUsers(['eu', 'us']);
const accounts = accountsOf([...USERS, SHOP, DESK]);
const imports = (account: string) => accounts[account]!.imports as readonly ServiceImport[];

describe('the accounts of the bus', () => {
  it('are one for each plane, with its streams, and one for each role of the platform and each internal consumer', () => {
    const withStreams = Object.fromEntries(Object.entries(accounts).map(([name, { jetstream }]) => [name, jetstream]));
    expect(withStreams).toEqual({
      platform: true,
      'platform-front-door': false,
      'platform-region-eu': false,
      'platform-region-us': false,
      'platform-delivery': false,
      'platform-forwarder': false,
      suite: true,
      'shop-backend': false,
      'desk-backend': false,
    });
    expect(accounts['platform']!.users.map(({ user }) => user)).toEqual(['platform-operator']);
    expect(accounts['shop-backend']!.users.map(({ user }) => user)).toEqual(['shop-backend']);
  });

  it('let a consumer have of the suite exactly what its user may say', () => {
    const said = ({ service }: { service: { subject: string } }) =>
      service.subject.replace('cds.consumers.v1.wanted', '$JS.API.CONSUMER.CREATE.FEED');
    expect(imports('shop-backend').map(said)).toEqual(SHOP.publish);
    expect(accounts['desk-backend']!.imports).toContainEqual({
      service: { account: 'suite', subject: at(OPEN_VALUE, { service: 'desk' }) },
      to: at(OPEN_VALUE, { service: 'desk' }),
    });
  });

  it('call the API of streams otherwise where there are none, and lead there what a client says', () => {
    const { mappings = {}, users } = accounts['shop-backend']!;
    const pull = '$JS.API.CONSUMER.MSG.NEXT.FEED.shop-backend_customers_p00';
    const create = '$JS.API.CONSUMER.CREATE.FEED.shop-backend_customers_p00.cds.feed.v1.shop.*.p00';

    expect(mappings[pull]).toBe('suite.js.api.CONSUMER.MSG.NEXT.FEED.shop-backend_customers_p00');
    expect(mappings[create]).toBe('suite.js.api.CONSUMER.CREATE.FEED.shop-backend_customers_p00.cds.feed.v1.shop.{{wildcard(1)}}.p00');
    expect(users[0]!.publish.filter((subject) => subject.startsWith('$JS.API'))).toEqual([]);
  });

  it('let nobody of the suite drain a feed but the feed consumer, operators aside', () => {
    const covers = (subject: string) => new RegExp(`^${subject.replace(/[.$]/g, '\\$&').replaceAll('*', '[^.]+').replace('>', '.+')}$`);
    const drain = at(operation(drainChanges), { service: 'shop' });
    const may = [...USERS, SHOP].filter(({ publish }) => publish.some((subject) => covers(subject).test(drain))).map(({ user }) => user);

    expect(may).toEqual(['platform-operator', 'suite-operator', 'feed-consumer']);
  });

  it('let a role of the platform ask what its rights list, and nobody else', () => {
    const asked = imports('platform-region-eu').flatMap(({ service }) => (service ? `${service.account} ${service.subject}` : []));
    expect(asked.filter((each) => !each.includes('$'))).toEqual([
      'platform-front-door cds.front-door.v1.eu.*',
      'platform-front-door cds.front-door.v1.eu.check_password.*',
      'platform-region-us cds.peer.v1.us.*',
      'platform-delivery cds.delivery.v1.eu.*',
    ]);
    expect(accounts['platform-region-eu']!.exports).toContainEqual({
      service: 'cds.operator.v1.region.eu.*',
      accounts: ['platform'],
    });
    expect(accounts['platform-region-eu']!.exports).toContainEqual({
      service: 'cds.peer.v1.eu.*',
      accounts: ['platform', 'platform-region-us'],
    });
  });

  it('take as many regions as there are', () => {
    const more = accountsOf(busUsers(['eu', 'us', 'ap']));
    expect(Object.keys(more)).toContain('platform-region-ap');
    expect(more['platform-region-eu']!.imports).toContainEqual({
      service: { account: 'platform-region-ap', subject: 'cds.peer.v1.ap.*' },
      to: 'cds.peer.v1.ap.*',
    });
  });

  it('share nothing of the platform with the suite, and no event', () => {
    const event = at(FEED, { service: 'shop', event: 'field_updated', partition: 'p00' });
    const shared = (accounts['suite']!.exports as readonly ServiceExport[]).map(
      ({ service }) => new RegExp(`^${service.replace(/[.$]/g, '\\$&').replaceAll('*', '[^.]+').replace('>', '.+')}$`),
    );

    expect(shared.some((subject) => subject.test(event))).toBe(false);
    const ofPlatform = Object.entries(accounts).filter(([name]) => name.startsWith('platform'));
    for (const [, { exports = [] }] of ofPlatform)
      for (const { accounts: mayImport } of exports) expect(mayImport!.every((name) => name.startsWith('platform'))).toBe(true);
    expect(imports('shop-backend').every(({ service }) => shared.some((each) => each.test(service.subject)))).toBe(true);
  });
});
