import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ManualClock } from '@codase/runtime/clock';
import { execute, one, sql } from '@codase/runtime/db';
import { Outbound, type OutboundOptions } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { comesTrue } from '@codase/testing';
import { newId } from '../../../src/kit/ids.ts';
import { keyList } from '../../../src/kit/secrets/key-list.ts';
import { StoredSecrets } from '../../../src/kit/secrets/stored-secrets.ts';
import { Outgoing } from '../../../src/services/webhooks/delivery/outgoing.service.ts';
import { RegionDelivery } from '../../../src/services/webhooks/delivery/region-delivery.service.ts';
import { DeliveryWorld, peopleIn } from './delivery-world.ts';

/** A played name service: the addresses that each name has now. This machine stands for the internet. */
const names = new Map<string, string[]>();
const lookup = ((name: string, _options: object, callback: (error: null, addresses: LookupAddress[]) => void) =>
  callback(
    null,
    names.get(name)!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )) as unknown as NonNullable<OutboundOptions['lookup']>;

const DEADLINE_SECONDS = 10;
const NOT_PUBLIC = 'the address is not one on the public internet';
const BROKE_OFF = 'it could not be reached, or broke off';
const TOO_LATE = 'it did not answer within 10 seconds';

/** What a hostile endpoint writes, perhaps without end, once it has a request. */
type Says = (socket: Socket) => Promise<unknown> | void;
const onAndOn =
  (piece: string, everyMs: number): Says =>
  async (socket) => {
    while (!socket.destroyed) {
      socket.write(piece);
      await pause(everyMs);
    }
  };
const after =
  (first: string, then: Says): Says =>
  (socket) => {
    socket.write(first);
    return then(socket);
  };

describe('delivery to a hostile webhook endpoint @spec D1-3.2 @spec D1-6.3', () => {
  let world: DeliveryWorld;
  let db: DataSource;
  let delivery: RegionDelivery;
  const stored = new StoredSecrets(keyList(randomBytes(32)));
  const outbound = new Outbound({ loopback: true, lookup });
  const servers: Server[] = [];
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
    db = await world.world.opensDatabase('region_eu', { pool: 5 });
    const outgoing = new Outgoing(outbound, stored, new ManualClock(world.now), { current: [] });
    delivery = new RegionDelivery({
      region: 'eu',
      db,
      slots: { statesOf: async () => new Map() },
      outgoing,
      clock: new ManualClock(world.now),
      log: silentLog,
      isPaused: () => false,
    });
    await delivery.start();
  });
  afterEach(() => execute(world.db, sql`update webhook set enabled = false`));
  afterAll(async () => {
    await delivery?.close();
    await outbound.close();
    for (const server of servers) server.close();
    await world?.close();
  });

  /** Adds a webhook whose secrets are sealed with the key that this delivery has. */
  const hook = async (url: string): Promise<{ id: string }> => {
    const id = newId('wh');
    await execute(
      world.db,
      sql`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health_since, created_at)
      values (${id}, ${world.world.acme.user_id}, ${world.service_id}, ${url}, '{}', 'json', 'none', false, true, ${stored.seal({}, id)},
        ${world.now}, ${world.now})`,
    );
    return { id };
  };
  const hostile = async (says: Says): Promise<string> => {
    const server = createServer((socket) => void socket.on('error', () => undefined).once('data', () => void says(socket)));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  };
  const stateOf = async ({ id }: { id: string }) =>
    (await one<{ health: string }>(world.db, sql`select health from webhook where webhook_id = ${id}`))!.health;
  /** Waits until the webhook is bad and the event that failed waits. Returns the reason, in the words of the log. */
  const badBecause = async (webhook: { id: string }): Promise<string> => {
    await comesTrue(async () => expect(await stateOf(webhook)).toBe('bad'));
    expect(await world.queued(webhook)).toHaveLength(1);
    const [{ kind, message }, ...more] = (await world.logOf(webhook)) as [{ kind: string; message: string }];
    expect([kind, more]).toEqual(['webhook_bad', []]);
    return message;
  };

  it.each([
    ['where clouds tell secrets', 'http://169.254.169.254/latest/meta-data'],
    ['in a private network', 'http://192.168.0.1/'],
    ['written as a number', 'http://167772161/'],
    ['of a unique local network', 'http://[fd12:3456::1]/'],
    ['of the link', 'http://[fe80::1]/'],
    ['of a mapped private network', 'http://[::ffff:10.0.0.1]/'],
    ['of a mapped private network in hexadecimal', 'http://[::ffff:a9fe:a9fe]/'],
    ['of a private network behind NAT64', 'http://[64:ff9b::a00:1]/'],
  ])('refuses an address %s', async (_, url) => {
    const inside = await hook(url);
    await world.connect('user_1');

    expect(await badBecause(inside)).toContain(NOT_PUBLIC);
  });

  it.each([['10.0.0.1'], ['::ffff:192.168.0.1'], ['fd00::1']])('refuses a name that resolves to %s', async (address) => {
    names.set('inside.example', [address]);
    const inside = await hook('http://inside.example/');
    await world.connect('user_1');

    expect(await badBecause(inside)).toContain(NOT_PUBLIC);
  });

  it('refuses a name that later resolves to an internal address (DNS rebinding)', async () => {
    const receiver = await world.receiver();
    names.set('rebinding.example', ['127.0.0.1']);
    const rebinding = await hook(`http://rebinding.example:${receiver.port}/in`);
    await world.connect('user_1');
    expect(peopleIn(await receiver.received(1))).toEqual(['user_1']);
    await comesTrue(async () => expect(await world.queued(rebinding)).toEqual([]));

    names.set('rebinding.example', ['169.254.169.254']);
    await pause(1000); // an open connection still leads to the old address, and is closed when it has been idle
    await world.connect('user_2');

    expect(await badBecause(rebinding)).toContain(NOT_PUBLIC);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])('does not follow a redirect with status %d', async (status) => {
    const [receiver, inside] = [await world.receiver(), await world.receiver()];
    receiver.answer({ redirect: inside.url, status });
    const led = await hook(receiver.url);
    await world.connect('user_1');

    expect(await badBecause(led)).toContain(`it answered ${status}`);
    expect(inside.deliveries).toEqual([]);
  });

  it('aborts a response whose headers have no end', async () => {
    const long = await hook(await hostile((socket) => void socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(1024 * 1024)}`)));
    const many = await hook(await hostile(after('HTTP/1.1 200 OK\r\n', onAndOn('x-many: more\r\n'.repeat(200), 1))));
    await world.connect('user_1');

    for (const webhook of [long, many]) expect(await badBecause(webhook)).toContain(BROKE_OFF);
  });

  it('fails on a response that is not valid HTTP', async () => {
    const garbled = await hook(await hostile((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    const twice = await hook(
      await hostile((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n')),
    );
    await world.connect('user_1');

    for (const webhook of [garbled, twice]) expect(await badBecause(webhook)).toContain(BROKE_OFF);
  });

  it('times out after ten seconds, even if the endpoint sends a little at a time', async () => {
    const garbled = await hook(await hostile(onAndOn('H', 500)));
    const header = await hook(await hostile(after('HTTP/1.1 200 OK\r\nx-slow: ', onAndOn('x', 500))));
    const soon = await hook(await hostile(onAndOn('HTTP/1.1 103 Early Hints\r\n\r\n', 500)));
    const body = await hook(await hostile(after('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n', onAndOn('x', 500))));
    const startedAt = performance.now();
    await world.connect('user_1');

    for (const webhook of [header, soon]) expect(await badBecause(webhook)).toContain(TOO_LATE);
    expect(await badBecause(garbled)).toContain(BROKE_OFF);
    // The endpoint has answered 200, so it has the event. What it sends after that does not matter.
    await comesTrue(async () => expect(await world.queued(body)).toEqual([]));
    expect(await stateOf(body)).toBe('running');
    expect(performance.now() - startedAt).toBeLessThan((DEADLINE_SECONDS + 60) * 1000); // the endpoints would go on for ever
  });
});
