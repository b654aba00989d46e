import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, sql } from '@codase/runtime/db';
import { Outbound } from '@codase/runtime/http';
import { ShardLeases } from '@codase/runtime/resilience/leases';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue } from '@codase/testing';
import { newId } from '../../../src/kit/ids.ts';
import { keyList } from '../../../src/kit/secrets/key-list.ts';
import { StoredSecrets } from '../../../src/kit/secrets/stored-secrets.ts';
import { Outgoing } from '../../../src/services/webhooks/delivery/outgoing.service.ts';
import { RegionDelivery } from '../../../src/services/webhooks/delivery/region-delivery.service.ts';
import { SHARD_NAMES, SHARDS, shardOf } from '../../../src/services/webhooks/delivery/shards.ts';
import { DeliveryWorld, eventOf } from './delivery-world.ts';

const HOOKS = 18;
const EVENTS = 40;

describe('several delivery processes of one region @spec D1-6.3', () => {
  let world: DeliveryWorld;
  const running: RegionDelivery[] = [];
  const stored = new StoredSecrets(keyList(randomBytes(32)));
  const outbound = new Outbound({ loopback: true });
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.close()));
    await execute(world.db, sql`update lease set until = '-infinity'`);
  });
  afterAll(async () => {
    await outbound.close();
    await world?.close();
  });

  const database = () => world.world.opensDatabase('region_eu', { role: 'delivery', pool: 5 });
  const delivery = async (isPaused = () => false) => {
    const parts = {
      region: 'eu',
      db: await database(),
      slots: { statesOf: async () => new Map() },
      outgoing: new Outgoing(outbound, stored, new ManualClock(world.now), { current: [] }),
      clock: new ManualClock(world.now),
      log: silentLog,
      isPaused,
    };
    running.push(new RegionDelivery(parts));
    await running.at(-1)!.start();
    return running.at(-1)!;
  };
  /** Adds a webhook whose secrets are sealed with the key that these processes have. */
  const hook = async (url: string): Promise<string> => {
    const webhook_id = newId('wh');
    await execute(
      world.db,
      sql`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health_since, created_at)
      values (${webhook_id}, ${world.world.acme.user_id}, ${world.service_id}, ${url}, '{}', 'json', 'none', false, true,
        ${stored.seal({}, webhook_id)}, ${world.now}, ${world.now})`,
    );
    return webhook_id;
  };
  const owners = async () => {
    const rows = await many<{ owner: string; n: number }>(
      world.db,
      sql`select owner, count(*)::integer as n from lease where until > now() and owner is not null group by owner`,
    );
    return rows.map(({ n }) => n).toSorted((a, b) => a - b);
  };

  it('compute the same shard of a webhook as the database', async () => {
    const ids = Array.from({ length: 100 }, () => newId('wh'));
    const rows = await many<{ id: string; shard: number }>(
      world.db,
      sql`select id, webhook_shard(id) as shard from unnest(${ids}::text[]) id`,
    );

    expect(rows.every(({ id, shard }) => shard === shardOf(id))).toBe(true);
    expect(await many(world.db, sql`select from lease`)).toHaveLength(SHARDS);
  });

  it('never lease the same shard at once, and take over a lease that expired', async () => {
    const leases = async (owner: string, seconds: number) =>
      new ShardLeases(await database(), silentLog, { kind: 'webhooks', names: SHARD_NAMES, owner, seconds });
    const [first, second] = [await leases('first', 1), await leases('second', 30)];

    expect(await first.renew()).toHaveLength(SHARDS);
    expect(await second.renew()).toEqual([]);
    await pause(1100);
    expect(await second.renew()).toHaveLength(SHARDS);
    expect(await first.renew()).toEqual([]);
    await second.stop();
    expect(await first.renew()).toHaveLength(SHARDS);
    await first.stop();
  });

  it('share the shards, and deliver each event once and in order while processes start and stop', async () => {
    const receiver = await world.receiver();
    receiver.answer({ status: 200, delayMs: 2 });
    await delivery();
    const ids = await Promise.all(Array.from({ length: HOOKS }, () => hook(receiver.url)));
    const second = await delivery();
    const half = Array.from({ length: EVENTS / 2 }, (_, i) => `user_${i}`);
    await world.connect(...half);
    await comesTrue(async () => expect(await owners()).toEqual([SHARDS / 2, SHARDS / 2]));
    await world.connect(...half.map((_, i) => `user_${i + EVENTS / 2}`));
    await running.splice(running.indexOf(second), 1)[0]!.close();

    await comesTrue(async () => expect(receiver.deliveries).toHaveLength(HOOKS * EVENTS));
    const byHook = ids.map((id) => receiver.deliveries.filter(({ headers }) => headers['x-platform-webhook-id'] === id));
    for (const deliveries of byHook)
      expect(deliveries.map((one) => eventOf(one).person_user_id)).toEqual(Array.from({ length: EVENTS }, (_, i) => `user_${i}`));
  });

  it('send nothing while writes are paused, and continue afterwards @spec D1-7', async () => {
    const receiver = await world.receiver();
    let isPaused = true;
    await delivery(() => isPaused);
    await hook(receiver.url);
    await world.connect('user_1');
    await pause(500);
    expect(receiver.deliveries).toEqual([]);
    isPaused = false;

    expect(await receiver.received(1)).toHaveLength(1);
  });

  it('send nothing of a company that is moving away @gap D1-5.6', async () => {
    const receiver = await world.receiver();
    await delivery();
    await hook(receiver.url);
    const moving = (home: string) => execute(world.db, sql`update profile set home = ${home} where user_id = ${world.world.acme.user_id}`);
    await moving('leaving');
    await world.connect('user_1');
    await pause(500);
    expect(receiver.deliveries).toEqual([]);
    await moving('here');

    expect(await receiver.received(1)).toHaveLength(1);
  });
});
