import { setTimeout as pause } from 'node:timers/promises';
import { comesTrue } from '@codase/testing';
import { DeliveryWorld, eventOf } from './delivery-world.ts';

const EVENTS = 300;

describe('a delivery process that is killed @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open({ processes: ['delivery'] });
  });
  afterAll(() => world?.close());

  it('loses no event, keeps the order and repeats at most one event per webhook', async () => {
    const receivers = await Promise.all([world.receiver(), world.receiver(), world.receiver()]);
    for (const receiver of receivers) await world.hook(receiver, { auth_type: 'none' });
    for (const receiver of receivers) receiver.answer({ status: 200, delayMs: 5 });
    await world.connect(...Array.from({ length: EVENTS }, (_, i) => `user_${i}`));
    await receivers[0]!.received(20);

    await world.world.kill('delivery');
    const atDeath = receivers.map(({ deliveries }) => deliveries.length);
    expect(Math.max(...atDeath)).toBeLessThan(EVENTS);
    await world.world.comesBack('delivery');

    // The leases of the killed process must run out first.
    await comesTrue(async () =>
      expect(receivers.map((receiver) => new Set(receiver.deliveries.map((one) => eventOf(one).person_user_id)).size)).toEqual([
        EVENTS,
        EVENTS,
        EVENTS,
      ]),
    );
    await pause(200);
    for (const { deliveries, maxInFlight } of receivers) {
      const order = deliveries.map((one) => Number(eventOf(one).person_user_id.slice('user_'.length)));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(deliveries.length - EVENTS).toBeLessThanOrEqual(1);
      expect(maxInFlight).toBe(1);
    }
  });
});
