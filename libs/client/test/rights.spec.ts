import { at, FEED, filter, groupConsumer, handles, internalConsumer, OPEN_VALUES } from '@codase/contracts';
import { inboxOf, type Bus } from '@codase/runtime/bus';
import { eventually } from '@codase/testing';
import { headers } from '@nats-io/transport-node';
import { partitionOf, QUICK, sealedWord, Suite } from './a-suite.ts';

/** What an attacker can try with the rights of an internal service. The server refuses all of it. */
describe('the rights of an internal service on the bus', () => {
  let suite: Suite;
  let shop: Bus;
  beforeAll(async () => {
    suite = await Suite.open();
    shop = await suite.as('shop-backend');
    const desk = await suite.connects({ user: 'desk-backend', service: 'desk' });
    const group = await desk.handle('customers', suite.inbox(), {}, QUICK);
    await group.stop(); // its consumers stay, and the next event waits in one of them
    await suite.publishes({ event: 'connection_created', person_user_id: 'usr_ana', customer_type: 'person' }, { service: 'desk' });
  });
  afterAll(() => suite?.close());

  const own = groupConsumer('shop-backend', 'audit', 'p00');
  const ofDesk = groupConsumer('desk-backend', 'customers', partitionOf('usr_ana'));
  /** The outcome at the server: a permission violation, or an answer, which may be a refusal. */
  const asks = async (subject: string, body: unknown = {}): Promise<string> => {
    try {
      const reply = await shop.connection.request(subject, JSON.stringify(body), { timeout: 60_000 });
      const { error } = reply.json<{ error?: { description: string } }>();
      return error ? `refused: ${error.description}` : `answered: ${reply.string()}`;
    } catch (error) {
      return `${(error as Error).name}: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}`;
    }
  };
  const creates = (name: string, filtered: string, wanted: object, action = 'create') =>
    asks(`$JS.API.CONSUMER.CREATE.FEED.${name}.${filtered}`, { stream_name: 'FEED', action, config: wanted });
  const config = { durable_name: own, ack_policy: 'explicit', filter_subject: filter(FEED, { service: 'shop', partition: 'p00' }) };

  it("allow the service's own handlers to work", async () => {
    const codase = await suite.connects();
    const heard: string[] = [];
    await codase.handle('customers', suite.inbox(), { connection_created: ({ person_user_id }) => void heard.push(person_user_id) }, QUICK);
    await suite.joins('usr_ana');

    await eventually(async () => (heard.length > 0 ? true : undefined));
    expect(heard).toEqual(['usr_ana']);
    await eventually(async () => ((await suite.unacked('customers')) === 0 ? true : undefined));
  });

  it('allow requests to the gateway, the decryptor and twofa', async () => {
    for (const subject of [
      'codase.gateway.v1.shop.whoami',
      'codase.decryptor.v1.shop.open',
      'codase.decryptor.v1.shop.open_values',
      'codase.decryptor.v1.shop.unwrap_key',
      'codase.twofa.v1.shop.challenge',
      'codase.twofa.v1.shop.read',
    ]) {
      expect(await asks(subject)).toMatch(/no responders/i);
    }
  });

  it('identify the sender of a request even when it forges headers', async () => {
    const askers: unknown[] = [];
    const answering = await (
      await suite.as('decryptor')
    ).answer(OPEN_VALUES, {}, (_message, _values, { user }) => {
      askers.push(user);
      return { items: [] };
    });
    const forged = headers();
    for (const name of ['Nats-Request-Info', 'Nats-Request-Info', 'nats-request-info']) forged.append(name, '{"acc":"desk-backend"}');
    const requests = [at(OPEN_VALUES, { service: 'shop' }), JSON.stringify({ values: [{ value: sealedWord('word') }] })] as const;
    for (const options of [{}, { headers: forged }]) await shop.connection.request(...requests, { timeout: 60_000, ...options });
    await answering.drain();

    expect(askers).toEqual(['shop-backend', 'shop-backend']);
  });

  it('do not include consumers of a group that was not listed', async () => {
    const codase = await suite.connects();
    await expect(codase.handle('payroll', suite.inbox(), {}, QUICK)).rejects.toThrow(
      'may not run the consumer shop-backend_payroll_p00: an operator',
    );
    await expect(codase.handle('cust_omers', suite.inbox(), {}, QUICK)).rejects.toThrow('not a name for a group');
  });

  it('do not allow handling the events of another service', async () => {
    const codase = await suite.connects({ service: 'desk' });
    await expect(codase.handle('audit', suite.inbox(), {}, QUICK)).rejects.toThrow('may not run the consumer');
  });

  it('do not allow creating a consumer with another filter', async () => {
    const deskOnly = filter(FEED, { service: 'desk' });
    const create = { stream_name: 'FEED', config: { ...config, filter_subject: deskOnly } };

    expect(await creates(own, deskOnly, create.config)).toMatch(/Permissions Violation/);
    expect(await creates(own, filter(FEED), { ...config, filter_subject: filter(FEED) })).toMatch(/Permissions Violation/);
    expect(await asks(`$JS.API.CONSUMER.CREATE.FEED.${own}`, create)).toMatch(/Permissions Violation/);
    expect(await asks(`$JS.API.CONSUMER.DURABLE.CREATE.FEED.${own}`, create)).toMatch(/Permissions Violation/);
    expect(await asks('$JS.API.CONSUMER.CREATE.FEED', { ...create, config: { ack_policy: 'none' } })).toMatch(/Permissions Violation/);
  });

  it("do not allow a filter in the request body that differs from the subject's", async () => {
    const deskOnly = filter(FEED, { service: 'desk' });
    const { filter_subject, ...unfiltered } = config;
    const mismatch = /filtered subject from create subject|subject does not match/;

    expect(await creates(own, filter_subject, { ...config, filter_subject: deskOnly })).toMatch(mismatch);
    expect(await creates(own, filter_subject, unfiltered)).toMatch(mismatch);
    expect(await creates(own, filter_subject, { ...unfiltered, filter_subjects: [deskOnly] })).toMatch('multiple subject filters');
    expect(await creates(own, filter_subject, { ...config, durable_name: ofDesk })).toMatch(/name/);
    expect(await creates(own, filter_subject, config)).toMatch(/^answered/); // it may create it, not change its filter
    expect(await creates(own, filter_subject, { ...config, filter_subject: deskOnly }, 'update')).toMatch(mismatch);
  });

  it.each(['deliver_subject', 'DELIVER_SUBJECT', 'deliver_group', 'idle_heartbeat', 'pause_until'])(
    'do not allow %s in the configuration of its consumer',
    async (member) => {
      expect(await creates(own, config.filter_subject, { ...config, [member]: `$JS.API.CONSUMER.MSG.NEXT.FEED.${ofDesk}` })).toMatch(
        'is pulled from',
      );
    },
  );

  it.each([
    ["pull from another's consumer", `$JS.API.CONSUMER.MSG.NEXT.FEED.${ofDesk}`],
    ["look at another's consumer", `$JS.API.CONSUMER.INFO.FEED.${ofDesk}`],
    ['ack for another', `$JS.ACK.FEED.${ofDesk}.1.1.1.1.0`],
    ['list the consumers', '$JS.API.CONSUMER.LIST.FEED'],
    ['list their names', '$JS.API.CONSUMER.NAMES.FEED'],
    ['read the stream by sequence', '$JS.API.STREAM.MSG.GET.FEED'],
    ['read the stream directly', '$JS.API.DIRECT.GET.FEED'],
    ['read a subject directly', '$JS.API.DIRECT.GET.FEED.codase.feed.v1.desk.connection_created.p00'],
    ['look at the stream and its subjects', '$JS.API.STREAM.INFO.FEED'],
    ['list the streams', '$JS.API.STREAM.LIST'],
    ['mirror the stream', '$JS.API.STREAM.CREATE.MIRROR'],
    ['snapshot the stream', '$JS.API.STREAM.SNAPSHOT.FEED'],
    ['delete its own consumer', `$JS.API.CONSUMER.DELETE.FEED.${own}`],
    ['delete the stream', '$JS.API.STREAM.DELETE.FEED'],
    ['purge the stream', '$JS.API.STREAM.PURGE.FEED'],
    ['delete a message', '$JS.API.STREAM.MSG.DELETE.FEED'],
    ['change the stream', '$JS.API.STREAM.UPDATE.FEED'],
    ['publish an event', 'codase.feed.v1.shop.connection_created.p00'],
    ["park in another's name", `codase.parked.v1.${ofDesk}`],
    ['ask the gateway for another service', 'codase.gateway.v1.desk.whoami'],
    ["drain the feed, which is the feed consumer's", 'codase.gateway.v1.shop.drain_changes'],
    ["poll a challenge, which is twofa's", 'codase.gateway.v1.shop.poll_challenge'],
    ['raise a challenge past twofa', 'codase.gateway.v1.shop.raise_challenge'],
    ['ask for approvals of another service', 'codase.twofa.v1.desk.challenge'],
    ['open the values of another service', 'codase.decryptor.v1.desk.open_values'],
    ['unwrap keys of another service', 'codase.decryptor.v1.desk.unwrap_key'],
    ['open what is not for consumers', 'codase.decryptor.v1.shop.open_payload'],
    ['open values of the account', 'codase.decryptor.v1.open_account_values'],
    ['unwrap keys of values of the account', 'codase.decryptor.v1.unwrap_account_value'],
  ])('do not let the service %s', async (_, subject) => {
    expect(await asks(subject)).toMatch(/Permissions Violation/);
  });

  it.each(['codase.feed.v1.>', '$JS.API.>', `${inboxOf('desk-backend')}.>`, '>'])(
    'do not let the service subscribe to %s',
    async (subject) => {
      const refused = await new Promise((resolve) => {
        shop.connection.subscribe(subject, { callback: (error) => resolve(error?.message) });
      });
      expect(refused).toMatch(/Permissions Violation/);
    },
  );

  it('cannot be given to the name of a service of the suite', () => {
    for (const name of ['suite', 'gateway']) expect(() => internalConsumer(name, ['shop'])).toThrow("is a name of the bus's own");
  });

  it('include no consumer that the rights of another user include', () => {
    const rights = (user: string, group: string) => new Set(handles(user, ['shop'], group));
    const [one, other] = [rights('shop', 'customers'), rights('shop_customers', 'customers')];
    expect([...one].filter((subject) => other.has(subject))).toEqual([]);
    expect(() => handles('shop', ['shop'], 'customers_customers')).toThrow('not a name for a group');
  });
});
