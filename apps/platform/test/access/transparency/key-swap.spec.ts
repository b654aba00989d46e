import { generateKeyPairSync } from 'node:crypto';
import { connect, type CodaseClient } from '@codase/client';
import { personMessages } from '@codase/contracts';
import { execute, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, World } from '@codase/testing';
import { REGION_ENTITIES } from '../../../src/capabilities.ts';

/** The key of somebody who reads what was sealed for others. */
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

describe('a service of a company, when the database of a region was given another key of a person @gap D1-8', () => {
  let world: World;
  const clients: CodaseClient[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway'] });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await world?.close();
  });

  /** A service that has just started, so that it knows no key yet. */
  const starts = async () => {
    const clock = { now: () => world.now };
    const client = await connect({ ...world.internalAddress, service: 'shop', log: silentLog, clock, keyLog: { mode: 'require' } });
    clients.push(client);
    return client;
  };

  it('seals nothing to it', async () => {
    const [ana, chiara] = [world.person('ANA'), world.person('CHIARA')];
    const toAna = await ana.connections.connects('ACME/SHOP');
    const toChiara = await chiara.connections.connects('ACME/SHOP');
    const region = await world.opensDatabase('region_eu', { entities: REGION_ENTITIES });
    await execute(region, sql`update profile set public_key = ${OTHER_KEY} where share_code = 'CHIARA'`);
    const sends = async (to: string) => (await starts()).messages.send({ connection_id: to }, 'Good morning');
    await comesTrue(() => sends(toAna.id));

    await expect(sends(toChiara.id)).rejects.toMatchObject({ key: 'keys.not_logged' });

    const { items } = await chiara.asks(personMessages.listMessages, { query: { connection_id: toChiara.id } });
    expect(items).toEqual([]);
  });
});
