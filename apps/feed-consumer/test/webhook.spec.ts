import { RESEND, SEALED_CHARS, UNOPENED_HOURS, type FeedEvent } from '@codase/contracts';
import { basicAuthorization, importAccountPublicKey, sealAccountEnvelope, signWebhook, signWebhookAt } from '@codase/crypto';
import { writeXml } from '@codase/runtime/http';
import { collectTelemetry, eventually, forgetTelemetry, World } from '@codase/testing';
import { PlayedGateway, type Streamed } from './played-gateway.ts';

const ID = 'whk_1';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const EVENT: FeedEvent = {
  event: 'document_deleted',
  id: 'evt_1',
  person_user_id: 'usr_1',
  share_code: null,
  at: new Date().toISOString(),
  document_id: 'doc_1',
  name: 'Offer <1>',
  kind: 'document',
  payload_kind: 'file',
};
const documentOf = (event: FeedEvent) => ('document_id' in event ? event.document_id : undefined);
const about = (event: FeedEvent) => (message: Streamed) => documentOf(message.event) === documentOf(event);
const webhook = (auth: object, more: object = {}) => ({ mode: 'webhook', webhook_id: ID, auth, ...more });
const CHANNELS = {
  shop: webhook({ auth_type: 'hmac', hmac_secret: 'whsec_1' }),
  prompt: webhook({ auth_type: 'hmac', hmac_secret: 'whsec_1', max_age_seconds: 300 }),
  bearer: webhook({ auth_type: 'bearer', auth_token: 't0ken' }),
  basic: webhook({ auth_type: 'basic', auth_username: 'hook', auth_password: 'pässword' }),
  header: webhook({ auth_type: 'header', auth_header_name: 'X-Key', auth_header_value: 'k3y' }),
  open: webhook({ auth_type: 'none' }),
  drained: { mode: 'pull' },
};

describe('webhook channel @spec D1-6.3 @spec D1-6.4', () => {
  let world: World;
  let gateway: PlayedGateway;
  beforeAll(async () => {
    collectTelemetry();
    world = await World.open({ units: ['feed-consumer'], channels: CHANNELS });
    gateway = await PlayedGateway.open(world);
  });
  afterAll(async () => {
    forgetTelemetry();
    await world?.close();
  });

  let reported = 0;
  const fresh = (): FeedEvent => ({ ...EVENT, id: `evt_${++reported}`, document_id: `doc_${reported}` }) as FeedEvent;
  const deliver = async (service: string, headers: Record<string, string>, body: string) => {
    const marked = { 'x-platform-webhook-id': ID, 'content-type': 'application/json', ...headers };
    const answer = await fetch(world.hookUrl(service), { method: 'POST', headers: marked, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const signed = async (body: string) => ({ 'x-platform-signature': await signWebhook('whsec_1', Buffer.from(body)) });
  const delivers = async (event: FeedEvent) => {
    const body = JSON.stringify(event);
    return deliver('shop', await signed(body), body);
  };
  /** The message on the stream that is about the same document as this event, once it is there. */
  const arrived = (event: FeedEvent) => eventually(async () => (await gateway.streamed(1)).find(about(event)));

  it('answers a delivery with 200 and publishes its event on the stream', async () => {
    const event = fresh();

    expect(await delivers(event)).toBe(200);

    const message = await arrived(event);
    expect(message.event).toEqual(event);
    expect(message.subject).toContain('codase.feed.v1.shop.document_deleted.');
  });

  it.each([
    ['keeps the trace of a signed delivery', 'shop', true],
    ['keeps no trace of one that anybody could have sent', 'open', false],
  ])('%s', async (_, service, isKept) => {
    const event = fresh();
    const body = JSON.stringify(event);

    expect(await deliver(service, { ...(await signed(body)), traceparent: `00-${TRACE}-b7ad6b7169203331-01` }, body)).toBe(200);

    const message = await arrived(event);
    expect(message.header('traceparent').includes(TRACE)).toBe(isKept);
  });

  it('refuses an event older than the platform keeps events with 410, because it is a replay @gap D1-6.4', async () => {
    const ago = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

    expect(await delivers({ ...fresh(), at: ago(7 * 24) })).toBe(200);
    expect(await delivers({ ...fresh(), at: ago(7 * 24 + 2) })).toBe(410);
  });

  it('accepts either signature of a delivery while the secret is replaced @gap D1-6.4', async () => {
    const body = JSON.stringify(fresh());
    const both = await signWebhookAt(['whsec_2', 'whsec_1'], Buffer.from(body), new Date());
    const byTheNew = await signWebhook('whsec_2', Buffer.from(body));

    expect(await deliver('shop', { 'x-platform-signature': byTheNew, 'x-platform-signatures': both }, body)).toBe(200);
    expect(await deliver('shop', { 'x-platform-signature': byTheNew }, body)).toBe(401);
  });

  it("refuses signatures older than the channel's max_age_seconds @gap D1-6.4", async () => {
    const body = JSON.stringify(fresh());
    const at = (seconds: number) => signWebhookAt(['whsec_1'], Buffer.from(body), new Date(Date.now() - seconds * 1000));

    expect(await deliver('prompt', await signed(body), body)).toBe(401);
    expect(await deliver('prompt', { 'x-platform-signatures': await at(400) }, body)).toBe(401);
    expect(await deliver('prompt', { 'x-platform-signatures': await at(100) }, body)).toBe(200);
  });

  it('answers an authentic test delivery with 200 and stores nothing @gap D1-4.7', async () => {
    const [test, event] = [JSON.stringify(fresh()), fresh()];

    expect(await deliver('shop', { ...(await signed(test)), 'x-platform-test': 'true' }, test)).toBe(200);
    expect(await deliver('shop', { 'x-platform-signature': 'none', 'x-platform-test': 'true' }, test)).toBe(401);

    expect(await delivers(event)).toBe(200);
    await arrived(event);
    expect((await gateway.streamed(1)).filter(about(JSON.parse(test) as FeedEvent))).toEqual([]);
  });

  it.each([
    ['bearer', { authorization: 'Bearer t0ken' }, { authorization: 'Bearer t0ken2' }],
    ['basic', { authorization: basicAuthorization('hook', 'pässword') }, { authorization: basicAuthorization('hook', 'password') }],
    ['header', { 'x-key': 'k3y' }, { 'x-key': 'k3' }],
  ])('accepts a delivery by %s only with the right secret', async (service, right, wrong) => {
    const event = fresh();

    expect(await deliver(service, {}, JSON.stringify(event))).toBe(401);
    expect(await deliver(service, wrong as Record<string, string>, JSON.stringify(event))).toBe(401);
    expect(await deliver(service, right as Record<string, string>, JSON.stringify(event))).toBe(200);
    expect((await arrived(event)).subject).toContain(`.${service}.`);
  });

  it('accepts a signature only over exactly these bytes', async () => {
    const body = JSON.stringify(fresh());
    const signature = await signed(body);

    expect(await deliver('shop', {}, body)).toBe(401);
    expect(await deliver('shop', signature, `${body} `)).toBe(401);
    expect(await deliver('shop', { 'x-platform-signature': signature['x-platform-signature'].toUpperCase() }, body)).toBe(401);
    expect(await deliver('shop', { ...signature, 'x-platform-webhook-id': 'whk_2' }, body)).toBe(401);
  });

  it('answers 404 for a pull channel and for an unknown one', async () => {
    const body = JSON.stringify(fresh());

    expect(await deliver('drained', await signed(body), body)).toBe(404);
    expect(await deliver('constructor', await signed(body), body)).toBe(404);
    expect(await deliver('open', {}, body)).toBe(200);
  });

  it('reads XML deliveries', async () => {
    const event = fresh();
    const body = writeXml(event);

    expect(await deliver('shop', { ...(await signed(body)), 'content-type': 'application/xml' }, body)).toBe(200);
    expect((await arrived(event)).event).toEqual(event);
  });

  it('detects a replay by its content, not its id, and accepts the same content with a later time', async () => {
    const event = fresh();
    await delivers(event);
    await delivers({ ...event, id: 'evt_row' });
    await arrived(event);
    await delivers({ ...event, id: 'evt_row' });
    await delivers({ ...event, id: 'evt_later', at: new Date(Date.parse(event.at) + 1000).toISOString() });

    const mine = async () => (await gateway.streamed(1)).filter(about(event));
    const both = await eventually(async () => ((await mine()).length > 1 ? mine() : undefined));
    expect(both.map((message) => message.event.id)).toEqual([event.id, 'evt_later']);
  });

  it('parks an authentic delivery that is no event, and answers 200 so that the next ones are delivered', async () => {
    const body = JSON.stringify({ ...EVENT, event: 'no event' });

    expect(await deliver('shop', await signed(body), body)).toBe(200);

    const [message] = await gateway.parked(1);
    expect([message!.event.event, message!.header('Codase-Reason')]).toEqual(['no event', 'request.invalid']);
    expect(message!.subject).toBe('codase.parked.v1.feed-consumer');
  });

  it('refuses a body larger than an event can be with 413', async () => {
    const body = JSON.stringify({ ...EVENT, name: 'x'.repeat(970 * 1024) });

    expect(await deliver('shop', await signed(body), body)).toBe(413);
    expect(await deliver('shop', { 'x-platform-signature': 'none' }, 'x'.repeat(1100 * 1024))).toBe(413);
    expect(await deliver('shop', {}, 'x'.repeat(1100 * 1024))).toBe(401); // without a signature the body is not read
  });

  it('resends a range in portions', async () => {
    for (const event of [fresh(), fresh(), fresh()]) {
      await delivers(event);
      await arrived(event);
    }
    const all = { from: '2000-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' };
    const before = (await gateway.streamed(1)).length;

    let sent = 0;
    for (let after: string | null | undefined; after !== null;) {
      const range = { ...all, most: 2, ...(after && { after }) };
      const portion: { events: number; next: string | null } = await gateway.bus.request(RESEND, { service: 'shop' }, range);
      sent += portion.events;
      after = portion.next;
    }

    const again = (await gateway.streamed(before + sent)).slice(before);
    expect(sent).toBeGreaterThanOrEqual(3);
    expect(new Set(again.map(({ event }) => event.id)).size).toBe(sent);
  });
});

describe('webhook channel with encrypted payloads @spec D1-2.3 @spec D1-6.4', () => {
  let world: World;
  let gateway: PlayedGateway;
  beforeAll(async () => {
    const channels = { shop: webhook({ auth_type: 'hmac', hmac_secret: 'whsec_1' }, { encrypt_payload: true }) };
    world = await World.open({ units: ['decryptor', 'feed-consumer'], channels });
    gateway = await PlayedGateway.open(world);
  });
  afterAll(() => world?.close());

  const deliver = async (body: string) => {
    const headers = { 'x-platform-webhook-id': ID, 'x-platform-signature': await signWebhook('whsec_1', Buffer.from(body)) };
    const answer = await fetch(world.hookUrl('shop'), { method: 'POST', headers, body });
    return answer.status;
  };
  const wrapped = async (text: string) => sealAccountEnvelope(await importAccountPublicKey(world.acme.keys.public_key), text);

  it.each([
    ['JSON', JSON.stringify],
    ['XML', writeXml],
  ])('decrypts an envelope with %s in it', async (format, write) => {
    const event = { ...EVENT, document_id: `doc_${format}` } as FeedEvent;

    expect(await deliver(await wrapped(write(event)))).toBe(200);

    const message = await eventually(async () => (await gateway.streamed(1)).find(about(event)));
    expect(message.event).toEqual(event);
  });

  it('decrypts the longest value that the platform allows @gap D1-6.3', async () => {
    const event = {
      event: 'field_updated',
      id: 'evt_long',
      person_user_id: 'usr_long',
      share_code: null,
      at: EVENT.at,
      slug: 'essay',
      live: true,
    };

    expect(await deliver(await wrapped(JSON.stringify({ ...event, value: 'x'.repeat(SEALED_CHARS) })))).toBe(200);

    await eventually(async () => (await gateway.streamed(1)).find((message) => message.event.id === 'evt_long'));
  });

  it('refuses an event without an envelope, and stores nothing that it cannot decrypt', async () => {
    const before = (await gateway.streamed(2)).length;

    expect(await deliver(JSON.stringify({ ...EVENT, document_id: 'doc_bare' }))).not.toBe(200);
    expect(await deliver('{}')).not.toBe(200);
    expect((await gateway.streamed(2)).length).toBe(before);
  });

  it('parks one undecryptable delivery after hours of such failures, so that the next ones are delivered @gap D1-6.3', async () => {
    const foreign = JSON.stringify({ ...JSON.parse(await wrapped(JSON.stringify(EVENT))), iv: 'A'.repeat(16) });
    expect(await deliver(foreign)).toBe(422);
    await world.passes({ hours: UNOPENED_HOURS - 1 });
    expect(await deliver(foreign)).toBe(422);
    await world.passes({ hours: 1 });

    expect(await deliver(foreign)).toBe(200);

    const [parked] = await gateway.parked(1);
    expect(parked!.event).toEqual(JSON.parse(foreign));
    expect(await deliver(foreign)).toBe(422);
    expect(await deliver(await wrapped(JSON.stringify({ ...EVENT, document_id: 'doc_after' })))).toBe(200);
  });
});
