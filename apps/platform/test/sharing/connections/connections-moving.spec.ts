import { connections, customer, services } from '@codase/contracts';
import type { Backend, IssuedDocument, OwnConnection, Person, VerificationProvider } from '@codase/testing';
import { execute, many, sql } from '@codase/runtime/db';
import { HOME_LOCK } from '../../../src/foundation/regions/home-lock.store.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'document' };
const LONG = 'x'.repeat(1_500_000);

describe('connections of a company that moves @spec D1-5.6', () => {
  let moving: MovingWorld;
  let shop: Backend;
  let persons: Person[];
  let connected: OwnConnection[];
  beforeAll(async () => {
    moving = await MovingWorld.open();
    shop = moving.world.shop;
    persons = [moving.world.person('ANA'), moving.world.person('BEN')];
    await asksFor(moving.world.acme, shop.service_id!, [MAIL, SCAN]);
    connected = [];
    for (const person of persons) {
      await person.fields.edits('email', 'one@example.example');
      await moving.world.passes({ seconds: 1 });
      connected.push(await person.connections.connects('ACME/SHOP', { mail: { text: 'one@example.example', from: 'email' } }));
    }
    connected[0] = await persons[0]!.connections.shares(connected[0]!, { scan: LONG });
    await moving.moves(moving.world.acme, 'us');
    await moving.arrives(moving.world.acme);
  });
  afterAll(() => moving?.close());

  it('keep every value and file', async () => {
    const { items } = await shop.asks(connections.listConnections, { query: {} });
    expect(items.map(({ id }) => id)).toEqual(connected.map(({ id }) => id));

    const { fields } = await readsConnection(shop, connected[0]!.id);
    const { service_field_id: serviceFieldId } = fields.find(({ slug }) => slug === 'scan')!;
    const file = await shop.asks(connections.readSlotFile, { params: { connectionId: connected[0]!.id, serviceFieldId } });
    expect(await shop.opens((file as { value: string }).value)).toBe(LONG);
  });

  it('are listed to customers of either region after the move', async () => {
    for (const [nth, person] of persons.entries()) {
      expect((await person.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([connected[nth]]);
    }
  });

  it("get their customers' edits in the new region", async () => {
    await hears(shop);
    for (const person of persons) await person.fields.edits('email', 'two@example.example');

    expect(await hearsOf(shop)).toEqual(['field_updated mail', 'field_updated mail']);
  });

  it('are deleted with their service, with all their values', async () => {
    await moving.world.acme.asks(services.deleteService, { params: { id: shop.service_id! } });

    for (const table of ['connection', 'shared_value', 'shared_file']) {
      expect(await many(moving.internals.database('region_us'), { text: `select from ${table}`, values: [] })).toEqual([]);
    }
    for (const [nth, person] of persons.entries()) {
      expect((await person.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([]);
      await expect(person.connections.disconnects(connected[nth]!)).rejects.toEqual(refused('company_data.connection_not_found', 404));
    }
  });
});

describe('customers of a company that is moving @spec D1-6.1 @gap D1-5.6', () => {
  let moving: MovingWorld;
  let shop: Backend;
  let ana: Person;
  let ben: Person;
  let provider: VerificationProvider;
  const connected = new Map<Person, OwnConnection>();
  const issued = new Map<Person, IssuedDocument>();
  beforeAll(async () => {
    moving = await MovingWorld.open();
    shop = moving.world.shop;
    provider = await moving.world.registersProvider();
    [ana, ben] = [moving.world.person('ANA'), moving.world.person('BEN')];
    await asksFor(moving.world.acme, shop.service_id!, [MAIL]);
    for (const person of [ana, ben]) {
      await person.fields.edits('email', 'one@example.example');
      connected.set(person, await person.connections.connects('ACME/SHOP', { mail: { text: 'one@example.example', from: 'email' } }));
      issued.set(person, await shop.documents.issues(person));
    }
    await hears(shop);
  });
  afterAll(() => moving?.close());

  /** Keeps a region from its next step of the move, by holding the lock of the company. */
  const keeps = (region: 'region_eu' | 'region_us') =>
    moving.internals.hold(region, sql`select pg_advisory_xact_lock(${HOME_LOCK}, hashtext(${moving.world.acme.user_id}))`);

  /** Lets the old region remove only its first batches of rows, with all connections: a service goes with the last batch. */
  const holdsRemoval = () => moving.internals.hold('region_eu', sql`select from service where service_id = ${shop.service_id!} for share`);

  const connectionsIn = async (region: 'region_eu' | 'region_us') =>
    (await many(moving.internals.database(region), sql`select from connection`)).length;

  const changesNothing = async (person: Person) => {
    const paused = refused('db.writes_paused', 503);

    await expect(person.fields.edits('email', 'two@example.example')).rejects.toEqual(paused);
    await expect(person.fields.deletes('email')).rejects.toEqual(paused);
    await expect(provider.verifies(person, 'email', 'one@example.example')).rejects.toEqual(paused);
  };

  const readsOn = async (person: Person) => {
    const own = connected.get(person)!;
    expect((await person.asks(customer.listCustomerConnections, { query: {} })).items).toEqual([own]);
    expect(await person.asks(customer.readCustomerConnection, { params: { connectionId: own.id } })).toEqual(own);
    expect(await person.documents.reads(issued.get(person)!)).toEqual(issued.get(person));
  };

  it('cannot change shared values, and can still read, during each step of the move', async () => {
    const { acme } = moving.world;
    await moving.internals.logs('region_eu', acme.user_id, shop.service_id!, { entries: 1500, length: 1 });
    await moving.moves(acme, 'us');
    await moving.internals.reaches(acme.user_id, 'leaving');
    const leaves = await keeps('region_eu');
    await moving.comesAbout(async () => (await moving.internals.homesOf(acme.user_id)).us === 'leaving', 'the new region has all rows');

    for (const person of [ana, ben]) await changesNothing(person);
    for (const person of [ana, ben]) await readsOn(person);

    const removed = await holdsRemoval();
    await leaves();
    await moving.comesAbout(async () => (await connectionsIn('region_eu')) === 0, 'the old region has only some rows');
    for (const person of [ana, ben]) await changesNothing(person);
    for (const person of [ana, ben]) await readsOn(person);
    const lists = acme.asks(services.listServices, { query: {} }, { at: moving.world.regionUrl('eu') });
    await expect(lists).rejects.toEqual(refused('region.rebase_required', 421));

    const arrives = await keeps('region_us');
    await removed();
    await moving.comesAbout(async () => (await moving.internals.stepOf(acme.user_id)) === 'arriving', 'the old region has no rows');
    for (const person of [ana, ben]) await changesNothing(person);
    for (const person of [ana, ben]) await readsOn(person);

    await arrives();
    await moving.arrives(acme);
    expect(await moving.internals.homesOf(acme.user_id)).toEqual({ front_door: 'us', eu: undefined, us: 'here' });
  });

  it('can change shared values after the move, and the company gets events only for those changes', async () => {
    expect(await hearsOf(shop)).toEqual([]);
    await ben.fields.edits('email', 'three@example.example');
    await ana.fields.deletes('email');

    expect(await hearsOf(shop)).toEqual(['field_updated mail', 'field_deleted mail']);
  });

  it('cannot complete a change during which the company begins to leave', async () => {
    const { acme } = moving.world;
    const us = moving.internals.database('region_us');
    let deletion: Promise<unknown> = Promise.resolve();
    await inOwnTransaction(us, async (tx) => {
      // The region has counted the company as its own when it comes to this table.
      await execute(tx, sql`lock table slot_change in access exclusive mode`);
      deletion = Promise.allSettled([ben.fields.deletes('email')]);
      const waits = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%slot_change c join profile%limit 1%'`;
      await moving.comesAbout(async () => (await many(us, waits)).length > 0, 'the deletion waits');
      await execute(tx, sql`update profile set home = 'arriving' where user_id = ${acme.user_id}`);
      await execute(tx, sql`delete from shared_value where company_user_id = ${acme.user_id}`);
    });

    expect(await deletion).toMatchObject([{ reason: refused('db.writes_paused', 503) }]);
  });
});
