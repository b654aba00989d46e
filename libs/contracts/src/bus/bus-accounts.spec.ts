import { drainChanges } from '../feed/endpoints.ts';
import { at } from '../core/subjects.ts';
import { OPEN_VALUE } from '../decryptor/subjects.ts';
import { FEED } from '../feed-consumer/subjects.ts';
import { operation } from '../gateway/operation.ts';
import { accountsOf } from './bus-accounts.ts';
import { BUS_USERS, internalConsumer } from './bus-users.ts';

const SHOP = internalConsumer('shop-backend', ['shop'], ['customers']);
const DESK = internalConsumer('desk-backend', ['desk']);
const accounts = accountsOf([...BUS_USERS, SHOP, DESK]);

describe('the accounts of the bus', () => {
  it('are one for each plane, with its streams, and one for each internal consumer', () => {
    const withStreams = Object.fromEntries(Object.entries(accounts).map(([name, { jetstream }]) => [name, jetstream]));
    expect(withStreams).toEqual({ platform: true, suite: true, 'shop-backend': false, 'desk-backend': false });
    expect(accounts['shop-backend']!.users.map(({ user }) => user)).toEqual(['shop-backend']);
  });

  it('let a consumer have of the suite exactly what its user may say', () => {
    const said = ({ service }: { service: { subject: string } }) =>
      service.subject.replace('cds.consumers.v1.wanted', '$JS.API.CONSUMER.CREATE.FEED');
    expect(accounts['shop-backend']!.imports!.map(said)).toEqual(SHOP.publish);
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
    const may = [...BUS_USERS, SHOP]
      .filter(({ publish }) => publish.some((subject) => covers(subject).test(drain)))
      .map(({ user }) => user);

    expect(may).toEqual(['platform-operator', 'suite-operator', 'feed-consumer']);
  });

  it('share nothing of the platform, and no event', () => {
    const event = at(FEED, { service: 'shop', event: 'field_updated', partition: 'p00' });
    const shared = accounts['suite']!.exports!.map(
      ({ service }) => new RegExp(`^${service.replace(/[.$]/g, '\\$&').replaceAll('*', '[^.]+').replace('>', '.+')}$`),
    );

    expect(accounts['platform']!.exports).toBeUndefined();
    expect(shared.some((subject) => subject.test(event))).toBe(false);
    expect(accounts['shop-backend']!.imports!.every(({ service }) => shared.some((each) => each.test(service.subject)))).toBe(true);
  });
});
