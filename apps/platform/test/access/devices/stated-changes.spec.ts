import {
  actOf,
  approvals,
  CHALLENGE_SUBJECTS,
  CONNECTION_SUBJECTS,
  contactData,
  devices,
  registry,
  type PersonAct,
} from '@codase/contracts';
import type { Refusal } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { onBehalfOf } from '@codase/runtime/initiator';
import { comesTrue, Device, eventually, World, type OwnConnection, type Person } from '@codase/testing';
import { decodeJwt } from 'jose';
import type { DataSource } from 'typeorm';
import { statedDigest } from '../../../src/foundation/peers/index.ts';
import { asksFor, readsConnection } from '../../sharing/connections/connections-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

const NOT_PROVEN = { key: 'account.device_required', status: 403 };
const REFUSED_STATEMENT = (fault: RegExp) => ({ ...NOT_PROVEN, message: expect.stringMatching(fault) as string });

interface Customer {
  person: Person;
  connection: OwnConnection;
  device: Device;
}

/** A person changes a field that services follow. The company lives in eu, so the change of a person of us comes there from us. */
describe('statements over changes of fields that services follow @gap D1-5 @gap D1-6.1', () => {
  let world: World;
  let databases: Record<'eu' | 'us', DataSource>;
  let stolen: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    databases = { eu: await world.opensDatabase('region_eu', { pool: 3 }), us: await world.opensDatabase('region_us', { pool: 2 }) };
    stolen = await world.busAs('platform-region-us');
    await asksFor(world.acme, world.shop.service_id!, [
      { slug: 'mail', label: 'E-mail', type: 'email' },
      { slug: 'scan', label: 'A scan', type: 'legal_document' },
    ]);
  });
  afterAll(() => world?.close());

  const customer = async (region: 'eu' | 'us') => {
    const person = await world.signsUp({ type: 'person', region });
    await person.fields.edits('email', 'ana@one.example');
    const connection = await person.connections.connects('ACME/SHOP', { mail: { text: 'ana@one.example', from: 'email' } });
    return { person, connection };
  };
  const withDevice = async (region: 'eu' | 'us' = 'us'): Promise<Customer> => {
    const [one, device] = [await customer(region), new Device(() => world.now)];
    one.person.uses(device);
    await one.person.signsIn();
    await untilKnown(one.person, region);
    one.person.uses(device);
    await one.person.signsIn();
    return { ...one, device };
  };
  /** Waits until both regions know the device: from then on they refuse what no device has signed. */
  const untilKnown = async (person: Person, region: 'eu' | 'us') => {
    const isRefused = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: Refusal) => (error.key === NOT_PROVEN.key ? true : undefined),
      );
    const bus = await world.busAs(`platform-region-${region}`);
    const denial = { person_user_id: person.user_id, challenge_id: 'chal_of_nobody', answer: { kind: 'deny' } } as const;
    await eventually(() => isRefused(bus.request(CHALLENGE_SUBJECTS.answer, { region: region === 'eu' ? 'us' : 'eu' }, denial)));
    person.uses(undefined);
    await eventually(() => isRefused(person.asks(approvals.denyChallenge, { params: { challengeId: 'chal_of_nobody' } })));
  };
  const shared = async ({ id }: OwnConnection) => {
    const { value } = (await readsConnection(world.shop, id)).values['mail'] ?? {};
    return value === undefined || value === null ? undefined : world.shop.opens(value);
  };
  const auditOf = (region: 'eu' | 'us', person: Person, act: string) =>
    many<{ object: string; statement: string | null }>(
      databases[region],
      sql`select object, details->>'statement' as statement from audit.entry
           where initiator = ${person.user_id} and act = ${act} and outcome = 'done' order by epoch, txid, seq`,
    );
  const lastOf = async (...of: Parameters<typeof auditOf>) => (await auditOf(...of)).at(-1);
  const statedIn = (row: { statement: string | null } | undefined) => decodeJwt(row!.statement!);

  describe.each(['eu', 'us'] as const)('at home in %s', (region) => {
    it('are kept at home and with each slot that follows the field', async () => {
      const { person, connection } = await withDevice(region);

      await person.fields.edits('email', 'ana@two.example');

      expect(await shared(connection)).toBe('ana@two.example');
      const edit = { act: 'put_contact_data', on: 'email' };
      expect(statedIn(await lastOf(region, person, 'contact_data.changed'))).toMatchObject(edit);
      expect((await lastOf('eu', person, 'connection.value_followed'))!.object).toBe(connection.id);
      expect(statedIn(await lastOf('eu', person, 'connection.value_followed'))).toMatchObject(edit);

      await person.fields.deletes('email');

      expect(await shared(connection)).toBeUndefined();
      expect(statedIn(await lastOf('eu', person, 'connection.value_followed'))).toMatchObject({ ...edit, act: 'delete_contact_data' });
    });

    it('are kept where a field of the own is deleted with its value', async () => {
      const { person, connection } = await withDevice(region);
      const params = { slug: 'own_mail' };
      await person.asks(registry.putContactField, { params, body: { label: 'Mail', type: 'email' } });
      await person.fields.edits('own_mail', 'ana@own.example');
      await person.connections.shares(connection, { mail: { text: 'ana@own.example', from: 'own_mail' } });

      await person.asks(registry.deleteContactField, { params });

      expect(await shared(connection)).toBeUndefined();
      expect(statedIn(await lastOf('eu', person, 'connection.value_followed'))).toMatchObject({
        act: 'delete_contact_field',
        on: 'own_mail',
      });
    });

    it('are refused without a statement, and change nothing', async () => {
      const { person, connection } = await withDevice(region);
      person.uses(undefined);

      await expect(person.fields.edits('email', 'ana@two.example')).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.fields.deletes('email')).rejects.toMatchObject(NOT_PROVEN);
      await expect(person.asks(registry.deleteContactField, { params: { slug: 'email' } })).rejects.toMatchObject(NOT_PROVEN);
      expect(await shared(connection)).toBe('ana@one.example');
    });

    it('are absent for a person without a device, as before', async () => {
      const { person, connection } = await customer(region);

      await person.fields.edits('email', 'ana@two.example');

      expect(await shared(connection)).toBe('ana@two.example');
      expect(await lastOf(region, person, 'contact_data.changed')).toEqual({ object: 'email', statement: null });
      expect(await auditOf('eu', person, 'connection.value_followed')).toEqual([]);
    });

    it('may be about a file of megabytes, which goes to another region in chunks', async () => {
      const { person, connection } = await withDevice(region);

      await person.connections.shares(connection, { scan: 'x'.repeat(2_000_000) });

      expect(statedIn(await lastOf('eu', person, 'connection.changed'))).toMatchObject({ act: 'change_customer_connection' });
    });
  });

  it('a company changes its profile as before, also by a client', async () => {
    await world.bolt.asks(contactData.putContactData, {
      params: { slug: 'email' },
      body: { value: 'desk@bolt.example', is_private: false },
    });

    expect(await lastOf('us', { user_id: world.bolt.user_id } as Person, 'contact_data.changed')).toMatchObject({ statement: null });
  });

  it('come to a region that was away for minutes, with what was signed when the change was made', async () => {
    const { person, connection } = await withDevice();

    await inOwnTransaction(databases.eu, async (tx) => {
      await many(tx, sql`select from service where company_user_id = ${world.acme.user_id} for update`);
      await person.fields.edits('email', 'ana@two.example');
      await world.passes({ minutes: 10 });
    });

    await comesTrue(async () => expect(await shared(connection)).toBe('ana@two.example'));
    expect(statedIn(await lastOf('eu', person, 'connection.value_followed'))).toMatchObject({ act: 'put_contact_data' });
  });

  describe('that a region in the wrong hands makes for its own user', () => {
    /** An edit as the device states it, and as the region sends it. */
    const edit = async ({ person, connection }: Customer, text: string) => {
      const copy = { connection_id: connection.id, slug: 'mail', value: await person.sealsFor(world.shop, text) };
      const another = { ...copy, slug: 'other' };
      const value = await person.sealsFor(person, text);
      const act = actOf(contactData.putContactData, { slug: 'email' }, { value, is_private: true, copies: [another, copy] });
      const stated = { value: statedDigest(value), copies: [statedDigest(another), statedDigest(copy)] };
      await world.passes({ seconds: 1 });
      const at = world.now.toISOString();
      return { act, copy, request: { user_id: person.user_id, field: 'email', is_private: true, copies: [copy], stated, at } };
    };
    const sends = (request: object, statement: string | undefined, subject: 'follow' | 'forget' = 'follow') =>
      onBehalfOf(statement === undefined ? {} : { statement }, () =>
        stolen.request(CONNECTION_SUBJECTS[subject] as never, { region: 'eu' }, request as never),
      );

    it('are refused without what the device signed, or with other copies, for another field or in other parts', async () => {
      const one = await withDevice();
      const { act, copy, request } = await edit(one, 'ana@two.example');
      const [statement, forged] = [
        one.device.states(act),
        { ...copy, value: await one.person.sealsFor(world.shop, 'eve@example.example') },
      ];

      for (const [sent, by] of [
        [request, undefined],
        [request, new Device(() => world.now).states(act)],
        [request, one.device.states({ ...act, on: 'phone' })],
        [{ ...request, copies: [forged] }, statement],
        [{ ...request, copies: [copy, forged] }, statement],
        [{ ...request, copies: [forged], stated: { ...request.stated, copies: [statedDigest(forged)] } }, statement],
        [{ ...request, field: 'phone' }, statement],
        [{ ...request, is_private: false }, statement],
        [{ ...request, stated: undefined }, statement],
        [{ ...request, at: new Date(world.now.getTime() + 120_000).toISOString() }, statement],
      ] as const)
        await expect(sends(sent, by)).rejects.toMatchObject(NOT_PROVEN);
      await expect(sends({ user_id: one.person.user_id, field: 'email', at: request.at }, statement, 'forget')).rejects.toMatchObject(
        NOT_PROVEN,
      );
      expect(await shared(one.connection)).toBe('ana@one.example');

      await sends(request, statement);
      expect(await shared(one.connection)).toBe('ana@two.example');
    });

    it('cannot bring an older value back', async () => {
      const one = await withDevice();
      const { act, request } = await edit(one, 'ana@two.example');
      const statement = one.device.states(act);
      await sends(request, statement);
      await world.passes({ minutes: 5 });
      await one.person.fields.edits('email', 'ana@three.example');

      await expect(sends(request, statement)).rejects.toMatchObject({ key: 'service.unavailable' });
      await expect(sends({ ...request, at: world.now.toISOString() }, statement)).rejects.toMatchObject(REFUSED_STATEMENT(/iat/));
      expect(await shared(one.connection)).toBe('ana@three.example');
    });

    it('are refused by a statement of a device that was removed', async () => {
      const one = await withDevice();
      const another = new Device(() => world.now);
      const { items } = await one.person.asks(devices.listDevices, {}, { at: world.frontDoorUrl });
      one.person.uses(another);
      await one.person.signsIn();
      await one.person.asks(devices.removeDevice, { params: { deviceId: items[0]!.id } }, { at: world.frontDoorUrl });
      const act: PersonAct = { act: 'delete_contact_data', on: 'email', body: {} };
      const sendsBy = ({ states }: { states(): string }) =>
        sends(
          { user_id: one.person.user_id, field: 'unknown', by: 'delete_contact_data', at: world.now.toISOString() },
          states(),
          'forget',
        );

      await eventually(() =>
        sendsBy({ states: () => one.device.states({ ...act, on: 'unknown' }) }).then(
          () => undefined,
          (error: Refusal) => (/not removed/.test(error.message) ? true : undefined),
        ),
      );
      await world.passes({ seconds: 1 });
      await expect(
        sends({ user_id: one.person.user_id, field: 'email', at: world.now.toISOString() }, another.states(act), 'forget'),
      ).resolves.toBeNull();
      expect(await shared(one.connection)).toBeUndefined();
    });
  });
});
