import { CONNECTION_SUBJECTS, contactData, customer, type Refusal } from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { elapsedMs, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import { PlatformInternals, inOwnTransaction, until } from '../../support/platform-internals.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
const NAME: NewRow = { slug: 'name', label: 'Your name', type: 'text' };

describe('concurrent changes of connections', () => {
  let world: World;
  let internals: PlatformInternals;
  let shop: Backend;
  let [ana, ben]: Person[] = [];
  let [anasDesk, bensShop, anasShop]: OwnConnection[] = [];
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
    [shop, ana, ben] = [world.shop, world.person('ANA'), world.person('BEN')];
    await asksFor(world.acme, shop.service_id!, [MAIL, NAME]);
    await asksFor(world.bolt, world.boltShop.service_id!, [MAIL]);
    const mail = { text: 'one@example.example', from: 'email' };
    for (const person of [ana, ben]) await person.fields.edits('email', mail.text);
    anasDesk = await ana.connections.connects('BOLT/DESK', { mail });
    bensShop = await ben.connections.connects('ACME/SHOP', { mail });
    anasShop = await ana.connections.connects('ACME/SHOP', { name: { text: 'Ana', from: 'email' } });
    await hears(shop);
  });
  afterAll(() => world?.close());

  const inShop = () => internals.database('region_eu');
  const opened = async ({ id }: OwnConnection) => shop.opens((await readsConnection(shop, id)).values['mail']!.value!);

  it('are throttled for persons who edit a lot, without blocking either region @gap D1-8', async () => {
    const edit = async (person: Person, backend: Backend, { id }: OwnConnection, more: OwnConnection[]) => {
      const copies = [{ connection_id: id, slug: 'mail', value: await person.sealsFor(backend, 'two@example.example') }];
      for (const other of more)
        copies.push({ connection_id: other.id, slug: 'name', value: await person.sealsFor(shop, 'two@example.example') });
      const body = { value: await person.sealsFor(person, 'two@example.example'), is_private: true, copies };
      const times = Array.from({ length: 40 }, () => person.asks(contactData.putContactData, { params: { slug: 'email' }, body }));
      return (await Promise.allSettled(times)).map((put) => (put.status === 'fulfilled' ? 'kept' : (put.reason as Refusal).key));
    };

    const asks = () => elapsedMs(() => world.person('CHIARA').asks(customer.listCustomerConnections, { query: {} }));
    const alone = await asks();
    const edits = Promise.all([edit(ana!, world.boltShop, anasDesk!, [anasShop!]), edit(ben!, shop, bensShop!, [])]);
    expect(await asks()).toBeLessThan(4000 + 50 * alone);
    const outcomes = (await edits).flat();

    expect(new Set(outcomes)).toEqual(new Set(['kept', 'rate_limit.exceeded']));
    await hears(shop);
  });

  it('skip slots whose request field or connection was deleted while the edit waited @spec D1-6.1', async () => {
    const service = sql`select from service where service_id = ${shop.service_id} for update`;
    const until = async (gone: ReturnType<typeof sql>, change: () => Promise<unknown>) => {
      let changed: Promise<unknown> = Promise.resolve();
      await inOwnTransaction(inShop(), async (tx) => {
        await execute(tx, service);
        changed = change();
        await internals.someoneWaits('region_eu');
        await execute(tx, gone);
      });
      await changed;
    };

    await until(sql`delete from request_field where service_id = ${shop.service_id} and slug = 'name'`, () =>
      ana!.fields.edits('email', 'three@example.example'),
    );
    await until(sql`delete from connection where connection_id = ${anasShop!.id}`, () =>
      ben!.fields.edits('email', 'three@example.example'),
    );
    expect(await opened(bensShop!)).toBe('three@example.example');
    await until(sql`delete from connection where connection_id = ${bensShop!.id}`, () => ben!.fields.deletes('email'));

    expect((await ben!.asks(contactData.listContactData, {})).items).toEqual([]);
  });

  describe('a delayed change from another region', () => {
    const field = { user_id: '', field: 'email' };
    beforeAll(async () => {
      await ben!.fields.edits('email', 'one@example.example');
      bensShop = await ben!.connections.connects('ACME/SHOP', { mail: { text: 'one@example.example', from: 'email' } });
      field.user_id = ben!.user_id;
      await hears(shop);
    });

    it('does not overwrite a newer change', async () => {
      const us = await world.busAs('platform-region-us');
      const at = new Date(Date.parse(bensShop!.values[0]!.updated_at) - 10_000).toISOString();
      const copies = [{ connection_id: bensShop!.id, slug: 'mail', value: await ben!.sealsFor(shop, 'late@example.example') }];
      const eu = { region: 'eu' };
      const late = [
        us.request(CONNECTION_SUBJECTS.follow, eu, { ...field, is_private: true, copies, at }),
        us.request(CONNECTION_SUBJECTS.forget, eu, { ...field, at }),
        us.request(CONNECTION_SUBJECTS.verify, eu, { ...field, verification: {}, at }),
        us.request(CONNECTION_SUBJECTS.change, eu, {
          user_id: field.user_id,
          connection_id: bensShop!.id,
          values: [],
          drop: ['mail'],
          decline: [],
          at,
        }),
      ];

      for (const outcome of await Promise.allSettled(late)) expect(outcome).toMatchObject({ reason: refused('service.unavailable', 503) });
      expect(await opened(bensShop!)).toBe('one@example.example');
      expect(await hearsOf(shop)).toEqual([]);
    });

    it('is rolled back when its caller has timed out', async () => {
      const us = await world.busAs('platform-region-us');
      const letGo = await internals.hold('region_eu', sql`select from connection where connection_id = ${bensShop!.id} for update`);
      const pending = us.request(
        CONNECTION_SUBJECTS.forget,
        { region: 'eu' },
        { ...field, at: new Date(Date.now() + 60_000).toISOString() },
        { timeout: 300 },
      );
      await expect(pending).rejects.toEqual(refused('service.unavailable', 503));
      await letGo();
      const atWork = sql`select from pg_stat_activity where datname = current_database() and xact_start is not null
        and pid <> pg_backend_pid()`;
      await until(async () => (await one(inShop(), atWork)) === undefined, 'the region is done with it');

      expect(await hearsOf(shop)).toEqual([]);
      expect((await readsConnection(shop, bensShop!.id)).values).toHaveProperty('mail');
    });

    it('drops an answer once when it arrives twice, and a later drop of nothing is refused', async () => {
      const us = await world.busAs('platform-region-us');
      const drops = (at: Date) =>
        us.request(
          CONNECTION_SUBJECTS.change,
          { region: 'eu' },
          {
            user_id: field.user_id,
            connection_id: bensShop!.id,
            values: [],
            drop: ['mail'],
            decline: [],
            at: at.toISOString(),
          },
        );
      const at = new Date(Date.now() + 120_000);

      expect((await drops(at)).values).toEqual([]);
      expect((await drops(at)).values).toEqual([]);
      expect(await hearsOf(shop)).toEqual(['field_deleted mail']);
      await expect(drops(new Date(at.getTime() + 1))).rejects.toEqual(refused('company_connections.values_invalid', 400));
    });
  });
});
