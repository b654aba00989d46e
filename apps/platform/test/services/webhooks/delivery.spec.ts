import { createHmac } from 'node:crypto';
import { webhooks, type Refusal } from '@codase/contracts';
import { readXml } from '@codase/runtime/http';
import { comesTrue } from '@codase/testing';
import { DeliveryWorld, eventOf, peopleIn } from './delivery-world.ts';

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('webhook delivery @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open();
  });
  afterAll(() => world?.close());

  const hooked = async (config: Parameters<DeliveryWorld['hooked']>[0] = {}) => {
    const made = await world.hooked(config);
    await world.passes({ seconds: 1 });
    return made;
  };
  const health = async (hook: { id: string }) => (await world.read(hook)).health;
  const becomes = (hook: { id: string }, state: string) => comesTrue(async () => expect((await health(hook)).state).toBe(state));
  const isEmpty = (hook: { id: string }) => comesTrue(async () => expect(await world.queued(hook)).toEqual([]));
  afterEach(() => world.removeHooks());

  it('posts each event once, in order, one at a time, and deletes it', async () => {
    const { receiver, hook } = await hooked();
    const people = Array.from({ length: 30 }, (_, i) => `user_${i}`);
    await world.connect(...people);

    expect(peopleIn(await receiver.received(30))).toEqual(people);
    expect(receiver.maxInFlight).toBe(1);
    await isEmpty(hook);
    expect(receiver.deliveries).toHaveLength(30);
  });

  it('deletes events with microsecond timestamps after delivery', async () => {
    const { receiver, hook } = await hooked();
    const at = world.now.toISOString().replace('Z', '789Z');
    await world.happens(
      ...['user_1', 'user_2'].map((person_user_id) => ({
        event: 'connection_created' as const,
        person_user_id,
        share_code: null,
        at,
        customer_type: 'person' as const,
      })),
    );
    // The pull feed keeps its events longer, so the test reads the time there.
    const [fine] = await world.db.query(
      'select extract(microseconds from created_at)::integer % 1000 as micros from feed_event where channel = $1 order by seq desc limit 1',
      [world.service_id],
    );
    expect(fine).toEqual({ micros: 789 });

    expect(peopleIn(await receiver.received(2))).toEqual(['user_1', 'user_2']);
    await isEmpty(hook);
    expect(receiver.deliveries).toHaveLength(2);
  });

  it("sends the webhook's id, the content type, and a new id for a live event @spec D1-6.4", async () => {
    const { receiver, hook } = await hooked();
    receiver.answer({ status: 200, delayMs: 200 });
    await world.connect('user_1');

    const delivery = await receiver.next();
    const [row] = await world.queued(hook);
    expect(delivery).toMatchObject({
      method: 'POST',
      headers: { 'x-platform-webhook-id': hook.id, 'content-type': 'application/json; charset=utf-8' },
    });
    expect(eventOf(delivery)).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'connection_created',
      person_user_id: 'user_1',
      share_code: null,
      at: expect.any(String),
      customer_type: 'person',
    });
    expect(eventOf(delivery).id).not.toBe(row!.id);
  });

  it('sends the outcome of a challenge with exactly its members @spec D1-6.1', async () => {
    const { receiver } = await hooked({ events: ['2fa_challenge_completed'] });
    const at = world.now.toISOString();
    const outcome = { challenge_id: 'chal_1', status: 'approved' as const, completed_at: at };
    const event = { event: '2fa_challenge_completed' as const, person_user_id: 'user_1', share_code: 'ANA', at, ...outcome };
    await world.happens(event);

    expect(eventOf(await receiver.next())).toEqual({ id: expect.stringMatching(/^evt_/), ...event });
  });

  it('sends only subscribed events, and nothing to a disabled webhook @spec D1-2.9', async () => {
    const picky = await hooked({ events: ['connection_deleted'] });
    const off = await hooked({ enabled: false });
    await world.connect('user_1');
    await world.happens({
      event: 'connection_deleted',
      person_user_id: 'user_2',
      share_code: null,
      at: world.now.toISOString(),
      customer_type: 'person',
    });

    expect(peopleIn(await picky.receiver.received(1))).toEqual(['user_2']);
    expect(await world.queued(off.hook)).toEqual([]);
    expect(off.receiver.deliveries).toEqual([]);
  });

  it("sends XML when the webhook's format is XML", async () => {
    const { receiver } = await hooked({ format: 'xml' });
    await world.connect('user_1');

    const { body, headers } = await receiver.next();
    expect(headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(readXml(body.toString('utf8'))).toMatchObject({ event: 'connection_created', person_user_id: 'user_1', share_code: null });
  });

  it.each(['json', 'xml'] as const)(
    'seals the whole %s body to the account key, and signs what is sent @spec D1-2.3 @spec D1-6.4',
    async (format) => {
      const { receiver } = await hooked({ format, encrypt_payload: true, hmac_secret: 'a secret of ours' });
      await world.connect('user_1');

      const { body, headers } = await receiver.next();
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-platform-signature': createHmac('sha256', 'a secret of ours').update(body).digest('hex'),
      });
      expect(body.toString('utf8')).not.toContain('user_1');
      const opened = await world.opensPayload(body);
      expect(format === 'xml' ? readXml(opened) : JSON.parse(opened)).toMatchObject({
        event: 'connection_created',
        person_user_id: 'user_1',
      });
    },
  );

  it('sends an updated field whose slot is empty as field_deleted @spec D1-6.1', async () => {
    const { receiver } = await hooked();
    await world.happens({ event: 'field_updated', person_user_id: 'user_1', share_code: null, at: world.now.toISOString(), slug: 'email' });

    expect(eventOf(await receiver.next())).toMatchObject({ event: 'field_deleted', slug: 'email' });
  });

  describe('authentication of a delivery @spec D1-6.4', () => {
    it('signs the raw body with HMAC', async () => {
      const { receiver } = await hooked({ hmac_secret: 'a secret of ours' });
      await world.connect('user_1');

      const { body, headers } = await receiver.next();
      expect(headers['x-platform-signature']).toBe(createHmac('sha256', 'a secret of ours').update(body).digest('hex'));
    });

    it.each<[string, Parameters<DeliveryWorld['hook']>[1], Record<string, string | undefined>]>([
      ['bearer', { auth_type: 'bearer', auth_token: 'our-token' }, { authorization: 'Bearer our-token' }],
      [
        'basic',
        { auth_type: 'basic', auth_username: 'us', auth_password: 'pw' },
        { authorization: `Basic ${Buffer.from('us:pw').toString('base64')}` },
      ],
      ['a header', { auth_type: 'header', auth_header_name: 'X-Our-Key', auth_header_value: 'key' }, { 'x-our-key': 'key' }],
      ['nothing', { auth_type: 'none' }, { authorization: undefined, 'x-platform-signature': undefined }],
    ])('uses %s as configured', async (_, config, headers) => {
      const { receiver } = await hooked(config);
      await world.connect('user_1');

      expect({ ...(await receiver.next()).headers }).toEqual(
        expect.objectContaining(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))),
      );
      for (const [name, value] of Object.entries(headers)) expect(receiver.deliveries[0]!.headers[name]).toBe(value);
    });
  });

  describe('webhook health @spec D1-3.2', () => {
    it.each<[string, Parameters<Awaited<ReturnType<DeliveryWorld['receiver']>>['answer']>[0]]>([
      ['202', { status: 202 }],
      ['204', { status: 204 }],
      ['a redirect', { redirect: 'http://127.0.0.1:9/' }],
      ['404', { status: 404 }],
      ['500', { status: 500 }],
      ['a broken connection', 'close'],
    ])('becomes bad on %s, and all pending and later events are parked until the probe', async (_, answer) => {
      const { receiver, hook } = await hooked();
      receiver.answer(answer);
      await world.connect('user_1', 'user_2');
      await becomes(hook, 'bad');
      await world.connect('user_3');

      expect((await world.queued(hook)).map(({ person }) => person)).toEqual(['user_1', 'user_2', 'user_3']);
      const { since, next_probe_at, backlog, oldest_at } = await health(hook);
      expect(Date.parse(next_probe_at!) - Date.parse(since)).toBe(10 * 60_000);
      expect({ backlog, oldest: typeof oldest_at }).toEqual({ backlog: 3, oldest: 'string' });
      expect((await world.logOf(hook)).map(({ kind }) => kind)).toEqual(['webhook_created', 'webhook_bad']);
      await world.passes({ minutes: 9, seconds: 59 });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(receiver.deliveries).toHaveLength(1);
    });

    it('becomes bad when the endpoint does not answer within ten seconds', async () => {
      const { receiver, hook } = await hooked();
      receiver.answer('hang');
      await world.connect('user_1');
      await receiver.received(1);
      expect((await health(hook)).state).toBe('running');
      await becomes(hook, 'bad');

      expect((await world.logOf(hook)).at(-1)!.message).toContain('did not answer within 10 seconds');
    });

    it('remains running on 200 with an endless body, which is cut off', async () => {
      const { receiver, hook } = await hooked();
      receiver.answerNext('endless body');
      await world.connect('user_1', 'user_2');

      expect(peopleIn(await receiver.received(2))).toEqual(['user_1', 'user_2']);
      expect((await health(hook)).state).toBe('running');
    });

    it('becomes bad without a request when the address is private', async () => {
      const hook = await world.hook({ url: 'http://10.0.0.1:8080/in' });
      await world.passes({ seconds: 1 });
      await world.connect('user_1');
      await becomes(hook, 'bad');

      expect((await world.logOf(hook)).at(-1)!.message).toContain('the address is not one on the public internet');
    });

    it('becomes running after ten minutes when the oldest event succeeds as probe, and the backlog follows', async () => {
      const { receiver, hook } = await hooked();
      receiver.answerNext({ status: 500 });
      await world.connect('user_1', 'user_2', 'user_3');
      await becomes(hook, 'bad');
      const parked = await world.queued(hook);
      await world.passes({ minutes: 10 });

      const [live, ...replayed] = await receiver.received(4);
      expect(peopleIn([live!])).toEqual(['user_1']);
      expect(replayed.map(eventOf).map(({ id, person_user_id }) => ({ id, person: person_user_id }))).toEqual(parked);
      await becomes(hook, 'running');
      await isEmpty(hook);
      expect(await health(hook)).toMatchObject({ backlog: 0, oldest_at: null, next_probe_at: null });
      expect((await world.logOf(hook)).map(({ kind }) => kind).sort()).toEqual([
        'webhook_bad',
        'webhook_created',
        'webhook_running',
        'webhook_unknown',
      ]);

      await world.passes({ seconds: 1 });
      await world.connect('user_4');
      expect(peopleIn(await receiver.received(5)).at(-1)).toBe('user_4');
    });

    it.each<[string, (hook: { id: string; hmac_secret_once?: string }, other: string) => Promise<unknown>]>([
      ['its address is changed', (hook, other) => world.change(hook, { url: other })],
      ['its secret is changed', (hook, other) => world.change(hook, { url: other, hmac_secret: 'another secret of ours' })],
    ])('is probed at once when it is bad and %s @gap D1-3.2', async (_, mends) => {
      const { receiver, hook } = await hooked();
      receiver.answer({ status: 500 });
      await world.connect('user_1', 'user_2');
      await becomes(hook, 'bad');
      const other = await world.receiver();
      await mends(hook, other.url);

      expect(peopleIn(await other.received(2))).toEqual(['user_1', 'user_2']);
      await becomes(hook, 'running');
      expect(receiver.deliveries).toHaveLength(1);
    });

    it('keeps its probe time when it is bad and the change does not affect how it is reached @gap D1-3.2', async () => {
      const { receiver, hook } = await hooked();
      receiver.answerNext({ status: 500 });
      await world.connect('user_1');
      await becomes(hook, 'bad');
      const { next_probe_at } = await health(hook);
      await world.change(hook, { url: receiver.url, format: 'xml' });

      expect(await health(hook)).toMatchObject({ state: 'bad', next_probe_at });
    });

    it('is probed at once when it is bad and a test is answered with 200, and not otherwise @gap D1-3.2', async () => {
      const { receiver, hook } = await hooked();
      receiver.answer({ status: 500 });
      await world.connect('user_1');
      await becomes(hook, 'bad');
      const { next_probe_at } = await health(hook);
      expect(await world.tests(hook)).toMatchObject({ delivered: false });
      expect(await health(hook)).toMatchObject({ state: 'bad', next_probe_at });

      receiver.answer({ status: 200 });
      expect(await world.tests(hook)).toMatchObject({ delivered: true });

      expect(peopleIn(await receiver.received(4))).toEqual(['user_1', 'test', 'test', 'user_1']);
      await becomes(hook, 'running');
    });

    it('returns to bad for ten more minutes when the probe fails', async () => {
      const { receiver, hook } = await hooked();
      receiver.answer({ status: 503 });
      await world.connect('user_1', 'user_2');
      await becomes(hook, 'bad');
      await world.passes({ minutes: 10 });

      await receiver.received(2);
      await comesTrue(async () =>
        expect((await world.logOf(hook)).map(({ kind }) => kind).sort()).toEqual([
          'webhook_bad',
          'webhook_bad',
          'webhook_created',
          'webhook_unknown',
        ]),
      );
      expect(peopleIn(receiver.deliveries)).toEqual(['user_1', 'user_1']);
      receiver.answer({ status: 200 });
      await world.passes({ minutes: 10 });
      expect(peopleIn(await receiver.received(4)).slice(2)).toEqual(['user_1', 'user_2']);
    });

    it('is unknown without an event to probe with, and the next event becomes the probe @gap D1-3.2', async () => {
      const { receiver, hook } = await hooked();
      receiver.answerNext({ status: 500 });
      await world.connect('user_1');
      await becomes(hook, 'bad');
      await world.db.query('delete from feed_event where channel = $1', [hook.id]);
      await world.passes({ minutes: 10 });
      await becomes(hook, 'unknown');
      await world.connect('user_2');

      expect(peopleIn(await receiver.received(2))).toEqual(['user_1', 'user_2']);
      await becomes(hook, 'running');
    });

    it('is independent of other webhooks', async () => {
      const [sick, well] = [await hooked(), await hooked()];
      sick.receiver.answer({ status: 500 });
      await world.connect('user_1', 'user_2');

      expect(peopleIn(await well.receiver.received(2))).toEqual(['user_1', 'user_2']);
      await becomes(sick.hook, 'bad');
      expect((await health(well.hook)).state).toBe('running');
    });

    it('keeps only the latest parked answer of a person, but delivers every live one @spec D1-6.2', async () => {
      const { receiver, hook } = await hooked();
      const answered = (
        event: 'connection_request_accepted' | 'connection_request_rejected',
        person_user_id: string,
        request_id: string,
      ) => ({ event, person_user_id, share_code: null, at: world.now.toISOString(), request_id });
      await world.happens(answered('connection_request_rejected', 'user_1', 'r1'), answered('connection_request_accepted', 'user_1', 'r2'));
      expect((await receiver.received(2)).map((delivery) => eventOf(delivery)['request_id'])).toEqual(['r1', 'r2']);
      await isEmpty(hook);

      receiver.answerNext({ status: 500 });
      await world.happens(
        answered('connection_request_rejected', 'user_1', 'r3'),
        answered('connection_request_rejected', 'user_2', 'r4'),
        answered('connection_request_accepted', 'user_1', 'r5'),
      );
      await becomes(hook, 'bad');
      await world.passes({ minutes: 10 });

      expect((await receiver.received(5)).slice(3).map((delivery) => eventOf(delivery)['request_id'])).toEqual(['r4', 'r5']);
      await isEmpty(hook);
    });
  });

  it('a new URL is used for the next event as soon as it is set', async () => {
    const { receiver, hook } = await hooked();
    const other = await world.receiver();
    await world.connect('user_1');
    await receiver.received(1);
    await isEmpty(hook);
    await world.change(hook, { url: other.url });
    await world.connect('user_2');

    expect(peopleIn(await other.received(1))).toEqual(['user_2']);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('a webhook does not become bad because of a URL that was replaced during the attempt', async () => {
    const { receiver, hook } = await hooked();
    const other = await world.receiver();
    receiver.answer('hang');
    await world.connect('user_1');
    await receiver.received(1);
    await world.change(hook, { url: other.url });

    expect(peopleIn(await other.received(1))).toEqual(['user_1']);
    await isEmpty(hook);
    expect((await health(hook)).state).toBe('running');
    expect((await world.logOf(hook)).map(({ kind }) => kind)).toEqual(['webhook_created', 'webhook_changed']);
  });

  describe('filtering of events at delivery @spec D1-2.9', () => {
    const updated = (person_user_id: string) => ({
      event: 'field_updated' as const,
      person_user_id,
      share_code: null,
      at: world.now.toISOString(),
      slug: 'email',
    });

    it('skips an event that became an unsubscribed kind before delivery @spec D1-6.1', async () => {
      const { receiver, hook } = await hooked({ events: ['field_updated', 'connection_created'] });
      await world.happens(updated('user_1'));
      await world.connect('user_2');

      expect(peopleIn(await receiver.received(1))).toEqual(['user_2']);
      await isEmpty(hook);
      expect(receiver.deliveries).toHaveLength(1);
    });

    it('skips an event queued before the subscription was narrowed, also as a probe', async () => {
      const { receiver, hook } = await hooked();
      receiver.answerNext({ status: 500 });
      await world.happens(updated('user_1'));
      await becomes(hook, 'bad');
      await world.connect('user_2');
      await world.change(hook, { url: receiver.url, events: ['connection_created'] });
      await world.passes({ minutes: 10 });

      expect(peopleIn(await receiver.received(2))).toEqual(['user_1', 'user_2']);
      await becomes(hook, 'running');
      await isEmpty(hook);
      expect(receiver.deliveries).toHaveLength(2);
    });
  });

  it('deletes the backlog with its webhook', async () => {
    const { receiver, hook } = await hooked();
    receiver.answer({ status: 500 });
    await world.connect('user_1', 'user_2');
    await becomes(hook, 'bad');
    await world.remove(hook);

    expect(await world.queued(hook)).toEqual([]);
  });

  describe('a test delivery @gap D1-4.7', () => {
    it("is sent at once, and returns the endpoint's answer", async () => {
      const { receiver, hook } = await hooked();

      expect(await world.tests(hook)).toEqual({ delivered: true, status: 200, reason: null });
      expect(receiver.deliveries[0]!.headers['x-platform-webhook-id']).toBe(hook.id);
      receiver.answerNext({ status: 500 });
      expect(await world.tests(hook)).toEqual({ delivered: false, status: 500, reason: 'it answered 500, and only 200 counts' });
      expect(await health(hook)).toMatchObject({ state: 'running', backlog: 0 });
    });

    it('is marked as a test, and waits for the delivery in flight @spec D1-6.3', async () => {
      const { receiver, hook } = await hooked();
      receiver.answer({ status: 200, delayMs: 500 });
      await world.connect('user_1', 'user_2');
      await receiver.received(1);

      expect(await world.tests(hook)).toMatchObject({ delivered: true });
      expect(peopleIn(await receiver.received(3))).toEqual(['user_1', 'test', 'user_2']);
      expect(receiver.deliveries.map(({ headers }) => headers['x-platform-test'])).toEqual([undefined, 'true', undefined]);
      expect(receiver.maxInFlight).toBe(1);
    });

    it('is refused for a disabled webhook @spec D1-2.9', async () => {
      const { receiver, hook } = await hooked({ enabled: false });

      expect(await world.tests(hook)).toEqual({ delivered: false, status: null, reason: 'the webhook is disabled: enable it first' });
      expect(receiver.deliveries).toEqual([]);
    });

    it('is refused for a private address', async () => {
      const hook = await world.hook({ url: 'http://169.254.169.254/latest' });
      expect(await world.tests(hook)).toEqual({ delivered: false, status: null, reason: 'the address is not one on the public internet' });
    });

    it('is refused for an unknown webhook', async () => {
      await expect(world.tests({ id: 'wh_none' })).rejects.toEqual(refused('services.webhook_not_found', 404));
      await expect(world.asks(webhooks.testWebhook, { params: { id: 'svc_none', webhookId: 'wh_none' } })).rejects.toEqual(
        refused('services.not_found', 404),
      );
    });
  });
});
