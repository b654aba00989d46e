import { setTimeout as pause } from 'node:timers/promises';
import type { CodaseClient } from '@codase/client';
import {
  at,
  CLOCK_MOVED,
  companyData,
  FEED,
  filter,
  groupConsumer,
  OPEN_VALUE,
  OPEN_VALUES,
  operation,
  PARKED,
  Refusal,
  RESEND,
  STATUS,
  valuesOf,
  type Sealed,
} from '@codase/contracts';
import { PARKED_HEADERS, type Bus } from '@codase/runtime/bus';
import { eventually, World, type Person } from '@codase/testing';
import { asksFor, MAIL } from './asks-for.ts';
import { inMemoryInbox } from './in-memory-inbox.ts';

const NEIGHBOUR = { user: 'desk-backend', services: ['desk'], groups: ['customers'] };
const CONSUMER = { own: groupConsumer('desk-backend', 'customers', 'p00'), shops: groupConsumer('shop-backend', 'customers', 'p00') };
const OWN_FILTER = filter(FEED, { service: 'desk', partition: 'p00' });
const SHOPS_FILTER = filter(FEED, { service: 'shop', partition: 'p00' });
const SHOPS_EVENT = at(FEED, { service: 'shop', event: 'field_updated', partition: 'p00' });

/** Another internal service of the company, controlled by an attacker: it has its own user on the bus, and tries everything. */
describe('a compromised internal service', () => {
  let world: World;
  let shop: CodaseClient;
  let neighbour: Bus;
  let operator: Bus;
  let observers: Bus[];
  let ana: Person;
  let sealed: Sealed;
  /** The opened values that the shop's handler received. */
  const heard: string[] = [];
  beforeAll(async () => {
    world = await World.open({
      units: ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor'],
      neighbours: [NEIGHBOUR],
    });
    [shop, neighbour, operator] = [await world.internalService(), await world.busAs(NEIGHBOUR.user), await world.operator('suite')];
    observers = await world.observers('suite');
    ana = world.person('ANA');
    await asksFor(world, [MAIL]);
    await ana.fields.edits('email', 'ana@lind.example');
    await ana.connections.connects('ACME/SHOP', { mail: { text: 'ana@lind.example', from: 'email' } });
    sealed = (await ana.sealsFor(world.shop, 'for the shop alone')) as Sealed;
    await shop.handle('customers', inMemoryInbox(), {
      field_updated: async ({ value }, { open }) => void heard.push((await open({ value: value as Sealed })).plaintext),
    });
  });
  afterAll(() => world?.close());

  /** Counts the edits after the tests: whatever the neighbour has done, the shop learns of the next edit, opens it, and gets an answer. */
  let edits = 0;
  afterEach(async () => {
    const text = `ana.${++edits}@lind.example`;
    await ana.fields.edits('email', text);
    await eventually(async () => (heard.at(-1) === text ? text : undefined));
    await shop.request(companyData.whoami, {});
  });

  const isForbidden = expect.objectContaining({ name: 'PermissionViolationError' });
  /** Sends a message as a request, because the bus reports a refused message only afterwards, to the request that it belongs to. */
  const says = (subject: string, message: object = {}) =>
    neighbour.connection.request(subject, JSON.stringify(message), { timeout: 60_000 }).then(
      () => 'answered',
      (error: Error) => error.cause ?? error,
    );
  const listens = (subject: string, queue?: string) =>
    new Promise(
      (resolve) =>
        void neighbour.connection.subscribe(subject, { ...(queue && { queue }), callback: (error, message) => resolve(error ?? message) }),
    );
  const consumer = (name: string, config: object) => ({
    stream_name: 'FEED',
    config: { name, durable_name: name, ack_policy: 'explicit', ...config },
  });
  const ownConsumer = (config: object) =>
    neighbour.connection
      .request(`$JS.API.CONSUMER.CREATE.FEED.${CONSUMER.own}.${OWN_FILTER}`, JSON.stringify(consumer(CONSUMER.own, config)))
      .then((answer) => answer.json<{ error?: { description: string } }>());
  const lengthOf = async (stream: string) => (await (await operator.manager()).streams.info(stream)).state.last_seq;
  /** The state of the streams and of the shop's consumer, to see whether anything was done to them. */
  const standing = async () => {
    const { created, delivered, num_ack_pending } = await (await operator.manager()).consumers.info('FEED', CONSUMER.shops);
    return {
      feed: await lengthOf('FEED'),
      parked: await lengthOf('PARKED'),
      shops: { created, delivered: delivered.consumer_seq, num_ack_pending },
    };
  };
  const parked = async (name: string) =>
    (await (await operator.manager()).streams.getMessage('PARKED', { last_by_subj: at(PARKED, { consumer: name }) }).catch(() => null)) ??
    undefined;

  it.each([
    ['an event of the shop', SHOPS_EVENT],
    ['all there is', '>'],
    ['all requests', 'codase.>'],
    ['an inbox of the shop', '_INBOX_shop-backend.>'],
    ['any inbox', '_INBOX.>'],
    ['requests to the gateway', 'codase.gateway.v1.*.*'],
    ['requests to the decryptor', 'codase.decryptor.v1.shop.*'],
    ['what is parked', 'codase.parked.v1.>'],
    ['acks', '$JS.ACK.>'],
    ['advisories of the bus', '$JS.EVENT.>'],
    ['the clock', filter(CLOCK_MOVED)],
  ])('cannot subscribe to %s', async (_, subject) => {
    expect(await listens(subject)).toEqual(isForbidden);
  });

  it('cannot answer in place of the decryptor', async () => {
    expect(await listens(at(OPEN_VALUES, { service: 'desk' }), 'decryptor')).toEqual(isForbidden);
  });

  it.each<[string, string, object]>([
    [
      "a consumer of the shop's events",
      `$JS.API.CONSUMER.CREATE.FEED.${CONSUMER.own}.${SHOPS_FILTER}`,
      consumer(CONSUMER.own, { filter_subject: SHOPS_FILTER }),
    ],
    ['a consumer without a filter', `$JS.API.CONSUMER.CREATE.FEED.${CONSUMER.own}`, consumer(CONSUMER.own, {})],
    ['a consumer of another name', `$JS.API.CONSUMER.CREATE.FEED.sly.${OWN_FILTER}`, consumer('sly', { filter_subject: OWN_FILTER })],
    ['a consumer in the old way', `$JS.API.CONSUMER.DURABLE.CREATE.FEED.${CONSUMER.own}`, consumer(CONSUMER.own, {})],
    ["the next event of the shop's consumer", `$JS.API.CONSUMER.MSG.NEXT.FEED.${CONSUMER.shops}`, { batch: 1 }],
    ["an ack in the shop's place", `$JS.ACK.FEED.${CONSUMER.shops}.1.1.1.1.0`, {}],
    ["that the shop's consumer be deleted", `$JS.API.CONSUMER.DELETE.FEED.${CONSUMER.shops}`, {}],
    ["that the shop's consumer pause", `$JS.API.CONSUMER.PAUSE.FEED.${CONSUMER.shops}`, { pause_until: '2030-01-01T00:00:00Z' }],
    ['an event of the stream', '$JS.API.STREAM.MSG.GET.FEED', { seq: 1 }],
    ['an event of the stream, directly', '$JS.API.DIRECT.GET.FEED', { seq: 1 }],
    ['what there is in the stream', '$JS.API.STREAM.INFO.FEED', {}],
    ['that the stream be emptied', '$JS.API.STREAM.PURGE.FEED', {}],
    ['a mirror of the stream', '$JS.API.STREAM.CREATE.SLY', { name: 'SLY', mirror: { name: 'FEED' } }],
  ])('is refused %s', async (_, subject, message) => {
    expect(await says(subject, message)).toEqual(isForbidden);
  });

  it.each([
    ['filter_subject', { filter_subject: SHOPS_FILTER }],
    ['filter_subjects', { filter_subjects: [OWN_FILTER, SHOPS_FILTER] }],
  ])("cannot get the shop's events by another %s inside its own request", async (_, config) => {
    expect((await ownConsumer(config)).error?.description).toMatch(/filter/);
  });

  it.each([
    ['an event', SHOPS_EVENT],
    ['an answer', '_INBOX_shop-backend.forged'],
    ['a parked message', at(PARKED, { consumer: CONSUMER.shops })],
    ['a request for everything once more', at(RESEND, { service: 'shop' })],
    ['how a service is', at(STATUS, { name: 'gateway' })],
    ['the time', at(CLOCK_MOVED, { name: 'gateway' })],
    ['a call of the shop', at(operation(companyData.whoami), { service: 'shop' })],
  ])('cannot forge %s', async (_, subject) => {
    expect(await says(subject)).toEqual(isForbidden);
  });

  it("cannot open a value of the shop at the decryptor, neither in the shop's name nor in its own", async () => {
    await expect(neighbour.request(OPEN_VALUE, { service: 'shop' }, { value: sealed })).rejects.toMatchObject({
      key: 'auth.client_endpoint_forbidden',
    });
    await expect(neighbour.request(OPEN_VALUES, { service: 'desk' }, { values: [{ value: sealed }] })).rejects.toMatchObject({
      key: 'decryptor.caller_refused',
    });
  });

  it('cannot make a service publish for it by a request with another reply subject', async () => {
    const before = await lengthOf('FEED');

    neighbour.connection.publish(at(operation(companyData.whoami), { service: 'desk' }), '{}', { reply: SHOPS_EVENT });
    neighbour.connection.publish(at(OPEN_VALUE, { service: 'desk' }), JSON.stringify({ value: sealed }), { reply: SHOPS_EVENT });
    await neighbour.connection.flush();
    await pause(300);

    expect(await lengthOf('FEED')).toBe(before);
  });

  // The server answers to any subject that a request names, and checks no rights for it. All subjects that would be of use are in another
  // account.
  it.each([
    ['an event', SHOPS_EVENT],
    ['a parked message', at(PARKED, { consumer: CONSUMER.shops })],
    ['an answer', '_INBOX_shop-backend.forged'],
    ['a request to open a value', at(OPEN_VALUE, { service: 'shop' })],
    ['a call of the shop', at(operation(companyData.whoami), { service: 'shop' })],
    ["a pull of the shop's events", `$JS.API.CONSUMER.MSG.NEXT.FEED.${CONSUMER.shops}`],
    ["an ack in the shop's place", `$JS.ACK.FEED.${CONSUMER.shops}.1.1.1.1.0`],
    ["the end of the shop's consumer", `$JS.API.CONSUMER.DELETE.FEED.${CONSUMER.shops}`],
    ['the end of the stream', '$JS.API.STREAM.DELETE.FEED'],
  ])('cannot make the bus itself publish %s', async (_, reply) => {
    await ownConsumer({ filter_subject: OWN_FILTER });
    const heardBySuite: string[] = [];
    const listening = observers.map(({ connection }) =>
      connection.subscribe(reply, {
        // The shop itself pulls now and then, with a reply subject in its own account.
        callback: (_error, said) => void (/^_R_\.|^_INBOX_shop-backend\./.test(said.reply ?? '') || heardBySuite.push(said.subject)),
      }),
    );
    await Promise.all(observers.map(({ connection }) => connection.flush()));
    const before = await standing();

    neighbour.connection.publish(`$JS.API.CONSUMER.INFO.FEED.${CONSUMER.own}`, '', { reply });
    neighbour.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.FEED.${CONSUMER.own}`, '{"batch":1,"no_wait":true}', { reply });
    await says(`$JS.API.CONSUMER.INFO.FEED.${CONSUMER.own}`);
    await pause(300);

    expect([heardBySuite, await standing()]).toEqual([[], before]);
    for (const each of listening) each.unsubscribe();
  });

  it.each([
    ['onto the stream', SHOPS_EVENT],
    ["into the shop's pulls, and so take its events away", `$JS.API.CONSUMER.MSG.NEXT.FEED.${CONSUMER.shops}`],
  ])('cannot make its own consumer deliver %s', async (_, deliver_subject) => {
    const before = await standing();
    for (const member of ['deliver_subject', 'Deliver_Subject']) {
      const { error } = await ownConsumer({ filter_subject: OWN_FILTER, [member]: deliver_subject, headers_only: true });
      expect(error?.description).toMatch('is pulled from');
    }
    await pause(300);

    expect(await standing()).toEqual(before);
  });

  it('loses its connection by a message longer than the bus carries, and others keep theirs', async () => {
    const clumsy = await world.busAs(NEIGHBOUR.user);
    const lost = (async () => {
      for await (const { type } of clumsy.connection.status()) if (type === 'disconnect') return type;
      return 'never';
    })();
    const most = clumsy.connection.info!.max_payload;
    Object.assign(clumsy.connection.info!, { max_payload: Infinity }); // its own client would refuse to send it
    clumsy.connection.publish(at(operation(companyData.whoami), { service: 'desk' }), Buffer.alloc(most + 1));

    expect(await lost).toBe('disconnect');
    expect(operator.isConnected).toBe(true);
  });

  it('cannot block others with a flood of requests', async () => {
    const flooding = { isOver: false };
    const floods = async (nth: number) => {
      const subject = nth % 2 ? at(OPEN_VALUE, { service: 'desk' }) : at(operation(companyData.whoami), { service: 'desk' });
      while (!flooding.isOver) {
        await neighbour.connection.request(subject, JSON.stringify({ value: sealed }), { timeout: 30_000 }).catch(() => undefined);
      }
    };
    const flood = Promise.all(Array.from({ length: 300 }, (_, nth) => floods(nth)));
    // On a slow machine a request may time out while the flood goes on. The caller then asks again.
    const opened = () =>
      shop.open([{ value: sealed }]).catch((error: unknown) => {
        if (error instanceof Refusal && error.key === 'service.unavailable') return undefined;
        throw error;
      });
    const answers = await Promise.all(Array.from({ length: 20 }, () => eventually(opened)));

    expect(answers.flat().map((item) => ('plaintext' in item ? item.plaintext : item))).toEqual(
      Array.from({ length: 20 }, () => 'for the shop alone'),
    );
    flooding.isOver = true;
    await flood;
  });

  it.each([
    ['no JSON', Buffer.from([0xff, 0xfe, 0x00])],
    ['no event', Buffer.from('{"event":"field_updated"}')],
    [
      'half an event',
      Buffer.from('{"event":"connection_created","id":"evt_1","person_user_id":"usr_1","share_code":null,"at":"yesterday"}'),
    ],
    ['a thousand brackets', Buffer.from('['.repeat(1000))],
  ])('cannot block the feed: %s on the stream is parked, and later events are delivered', async (_, body) => {
    const { subject } = (await (
      await operator.manager()
    ).streams.getMessage('FEED', { last_by_subj: filter(FEED, { service: 'shop', event: 'connection_created' }) }))!;
    const { partition } = valuesOf(FEED, subject)!; // Ana's partition, so that the message comes before her next events
    const { seq } = await operator.streams.publish(at(FEED, { service: 'shop', event: 'field_updated', partition }), body);

    const message = await eventually(async () => {
      const found = await parked(groupConsumer('shop-backend', 'customers', partition));
      return found?.header.get(PARKED_HEADERS.sequence) === String(seq) ? found : undefined;
    });
    expect(message.header.get(PARKED_HEADERS.reason)).toBe('request.invalid');
    expect(Buffer.from(message.data)).toEqual(body);
  });
});
