import { comesTrue, DeliveryWorld } from './delivery-world.ts';

describe('a backlog that grows old @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => { world = await DeliveryWorld.open(); });
  afterAll(() => world?.close());

  it('is told of daily from two days on, hourly from five, and is lost at seven @spec D1-8', async () => {
    const receiver = await world.receiver();
    const hook = await world.hook(receiver);
    receiver.answer({ status: 500 });
    await world.connect('user_1');
    await comesTrue(async () => expect((await world.read(hook)).health.state).toBe('bad'));
    const logged = async (kind: string) => (await world.db.query('select message from service_log where webhook_id = $1 and kind = $2', [hook.id, kind])) as { message: string }[];
    const told = (times: number) => comesTrue(async () => expect(await logged('webhook_stale')).toHaveLength(times));

    await world.passes({ days: 2 });
    await told(1);
    await world.passes({ days: 1 });
    await told(2);
    await world.passes({ days: 2 });
    await told(3);
    await world.passes({ hours: 1 });
    await told(4);
    expect(await world.queued(hook)).toHaveLength(1);
    await world.passes({ days: 2 });
    await comesTrue(async () => expect(await logged('webhook_purged')).toEqual([{ message: expect.stringContaining('1 events') }]));
    expect(await world.queued(hook)).toEqual([]);
  }, 60_000);
});
