import { setTimeout as pause } from 'node:timers/promises';
import { services, webhooks } from '@codase/contracts';
import { execute, sql } from '@codase/runtime/db';
import { comesTrue, elapsedMs, type WebhookReceiver } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { emit } from '../../../src/services/feed/index.ts';
import { removeWebhook } from '../../../src/services/webhooks/webhooks.store.ts';
import { DeliveryWorld, peopleIn } from './delivery-world.ts';

const SLOW_MS = 4000;

describe('isolation between webhooks @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open();
  });
  afterAll(() => world?.close());

  afterEach(() => world.removeHooks());

  /** How long an event takes from its cause to the receiver. */
  const takes = (receiver: WebhookReceiver, happens: () => Promise<void>): Promise<number> =>
    elapsedMs(async () => {
      const before = receiver.deliveries.length;
      await happens();
      await receiver.received(before + 1);
    });
  /** The longest time that a delivery may take. It grows with the time that a delivery takes on this machine. */
  const soon = async (receiver: WebhookReceiver) => 2000 + 20 * (await takes(receiver, () => world.connect('user_0')));
  const aService = async () => {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    return {
      body: {
        name: 'Club',
        admin_email: 'club@acme.example',
        public_key,
        encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const },
      },
    };
  };
  const connect = (to: { company_user_id: string; service_id: string }, people: number) =>
    world.db.transaction((tx) =>
      emit(
        tx,
        Array.from({ length: people }, (_, i) => ({
          ...to,
          event: {
            event: 'connection_created' as const,
            person_user_id: `user_${i}`,
            share_code: null,
            at: world.now.toISOString(),
            customer_type: 'person' as const,
          },
        })),
      ),
    );

  it('a webhook is not delayed by another one whose backlog is drained slowly', async () => {
    const [drained, other] = [await world.hooked({ events: ['message_received'] }), await world.hooked({ events: ['connection_created'] })];
    drained.receiver.answer({ status: 200, delayMs: 3000 }); // so that most events are still there when the drain begins
    const limit = await soon(other.receiver);
    await world.muchHappens();
    await drained.receiver.received(1);
    const answer = await world.beginsToDrain(drained.hook);
    await pause(500);

    for (const person of ['user_1', 'user_2', 'user_3'])
      expect(await takes(other.receiver, () => world.connect(person))).toBeLessThan(limit);
    expect(await world.queued(drained.hook)).not.toEqual([]);
    answer.destroy();
  });

  it('a webhook becomes bad without waiting for a failing one that is being drained', async () => {
    const [drained, other] = [await world.hooked({ events: ['message_received'] }), await world.hooked({ events: ['connection_created'] })];
    for (const { receiver } of [drained, other]) receiver.answer({ status: 500, delayMs: 300 });
    await world.muchHappens();
    await drained.receiver.received(1);
    const answer = await world.beginsToDrain(drained.hook);
    await pause(500);
    const state = async (hook: { id: string }) => (await world.read(hook)).health.state;

    await world.connect('user_1');
    await comesTrue(async () => expect(await state(other.hook)).toBe('bad'));
    expect(await state(drained.hook)).toBe('running');
    answer.destroy();
    await comesTrue(async () => expect(await state(drained.hook)).toBe('bad'));
    expect(drained.receiver.deliveries).toHaveLength(1);
  });

  it('a webhook is not delayed by the removal of another one with a long backlog', async () => {
    const [removed, other] = [await world.hooked({ events: ['message_received'] }), await world.hooked({ events: ['connection_created'] })];
    removed.receiver.answer({ status: 200, delayMs: 300 });
    const limit = await soon(other.receiver);
    await world.muchHappens();
    await removed.receiver.received(1);

    await world.db.transaction(async (tx) => {
      await removeWebhook(tx, { company_user_id: world.world.acme.user_id, service_id: world.service_id, webhook_id: removed.hook.id });
      await pause(500);
      expect(await takes(other.receiver, () => world.connect('user_1'))).toBeLessThan(limit);
      expect(await takes(other.receiver, () => world.connect('user_2'))).toBeLessThan(limit);
    });
    expect(await world.queued(removed.hook)).toEqual([]);
  });

  it('a webhook gets no drained event, except at most the one in flight', async () => {
    const { receiver, hook } = await world.hooked({ events: ['message_received'] });
    receiver.answer({ status: 200, delayMs: 300 });
    await world.muchHappens();
    await receiver.received(1);
    const answer = await world.beginsToDrain(hook);
    const before = receiver.deliveries.length;
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(1_000_000);

    await comesTrue(async () => expect(await world.queued(hook)).toEqual([]));
    await pause(1500);
    expect(receiver.deliveries.length - before).toBeLessThanOrEqual(1);
    expect((await world.read(hook)).health).toMatchObject({ state: 'running', backlog: 0 });
  });

  it('a webhook of a deleted service gets no event, except at most the one in flight @spec D1-5.8', async () => {
    const { id: service_id } = await world.asks(services.createService, await aService());
    const receiver = await world.receiver();
    receiver.answer({ status: 200, delayMs: 200 });
    await world.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: receiver.url } });
    await connect({ company_user_id: world.world.acme.user_id, service_id }, 20);
    await receiver.received(2);
    await world.asks(services.deleteService, { params: { id: service_id } });
    const before = receiver.deliveries.length;

    await pause(1500);
    expect(receiver.deliveries.length - before).toBeLessThanOrEqual(1);
  });

  it('a webhook of a company that begins to move gets no event, except at most the one in flight @gap D1-5.6', async () => {
    const { receiver, hook } = await world.hooked();
    receiver.answer({ status: 200, delayMs: 200 });
    const people = Array.from({ length: 10 }, (_, i) => `user_${i}`);
    await world.connect(...people);
    await receiver.received(2);
    const moving = (home: string) => execute(world.db, sql`update profile set home = ${home} where user_id = ${world.world.acme.user_id}`);
    await moving('leaving');
    const before = receiver.deliveries.length;

    await pause(1500);
    expect(receiver.deliveries.length - before).toBeLessThanOrEqual(1);
    await moving('here');
    await comesTrue(async () => expect(await world.queued(hook)).toEqual([]));
    expect([...new Set(peopleIn(receiver.deliveries))]).toEqual(people);
  });

  it('a webhook runs one test at a time, and none after its removal @gap D1-4.7', async () => {
    const { receiver, hook } = await world.hooked();
    receiver.answer({ status: 200, delayMs: 1500 });
    const refused = { delivered: false, status: null };

    const first = world.tests(hook);
    await receiver.received(1);
    expect(await world.tests(hook)).toEqual({
      ...refused,
      reason: 'another test of the webhook is under way: test it again after that',
    });
    expect(await first).toEqual({ delivered: true, status: 200, reason: null });

    await world.connect('user_1');
    await receiver.received(2);
    const behind = world.tests(hook);
    await pause(500);
    await world.remove(hook);
    expect(await behind).toMatchObject(refused);
    expect(peopleIn(receiver.deliveries)).toEqual(['test', 'user_1']);
  });

  it('a webhook is not delayed by many slow ones of another company', async () => {
    const [slow, neighbour] = [await world.receiver(), await world.receiver()];
    slow.answer({ status: 200, delayMs: SLOW_MS });
    await execute(
      world.db,
      sql`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health_since, created_at)
      select 'wh_slow_' || i, ${world.world.acme.user_id}, ${world.service_id}, ${slow.url}, '{}', 'json', 'none', false, true, '',
        ${world.now}, ${world.now} from generate_series(1, 600) i`,
    );
    const company = await world.world.signsUp({ type: 'company', region: 'eu' });
    const { id: service_id } = await company.asks(services.createService, await aService());
    await company.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: neighbour.url } });
    const happens = () => connect({ company_user_id: company.user_id, service_id }, 1);
    const alone = await takes(neighbour, happens);
    await world.connect('user_1');
    await slow.received(200);

    expect(await takes(neighbour, happens)).toBeLessThan(SLOW_MS / 2 + 10 * alone);
    expect(slow.deliveries.length).toBeLessThan(600);
    await execute(world.db, sql`delete from webhook where webhook_id like 'wh_slow_%'`);
  });
});
