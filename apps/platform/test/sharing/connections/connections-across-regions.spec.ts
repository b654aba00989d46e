import { CONNECTION_SUBJECTS, contactData } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { type World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import { CustomerWrites } from '../../../src/sharing/connections/customer-writes.service.ts';
import { LEASE_SECONDS } from '../../../src/sharing/connections/customer-writes.store.ts';
import { type PlatformInternals, until } from '../../support/platform-internals.ts';
import { asksFor, hears, hearsOf, readsConnection, refused, type NewRow } from './connections-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';

const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };
/** More persons than a region has database connections. */
const PERSONS = 12;

interface Customer {
  person: Person;
  connection: OwnConnection;
  backend: Backend;
}

describe('edits by customers of a service in another region @gap D1-6.1', () => {
  let moving: MovingWorld;
  let world: World;
  let internals: PlatformInternals;
  let [inEu, inUs]: Customer[][] = [];
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ world, internals } = moving);
    await asksFor(world.acme, world.shop.service_id!, [MAIL]);
    await asksFor(world.bolt, world.boltShop.service_id!, [MAIL]);
    inEu = await join('eu', 'BOLT/DESK', world.boltShop);
    inUs = await join('us', 'ACME/SHOP', world.shop);
  });
  afterAll(() => moving?.close());

  async function join(region: 'eu' | 'us', code: string, backend: Backend): Promise<Customer[]> {
    const customers: Customer[] = [];
    for (let nth = 0; nth < PERSONS; nth++) {
      const person = await world.signsUp({ type: 'person', region });
      await person.fields.edits('email', 'one@example.example');
      customers.push({
        person,
        backend,
        connection: await person.connections.connects(code, { mail: { text: 'one@example.example', from: 'email' } }),
      });
    }
    return customers;
  }

  const all = () => [...inEu!, ...inUs!];
  const shared = async ({ backend, connection }: Customer) =>
    backend.opens((await readsConnection(backend, connection.id)).values['mail']!.value!);
  const pending = async () =>
    (
      await Promise.all((['region_eu', 'region_us'] as const).map((name) => many(internals.database(name), sql`select from slot_change`)))
    ).flat();
  /** Holds the services of a company, which every change of its slots locks first. */
  const hold = (name: 'region_eu' | 'region_us', user_id: string) =>
    internals.hold(name, sql`select from service where company_user_id = ${user_id} for update`);
  /** Whether a write of a customer holds a database connection. */
  const isAnyOpen = async (name: 'region_eu' | 'region_us') =>
    (await one(
      internals.database(name),
      sql`
      select from pg_stat_activity
       where datname = current_database() and application_name like '%-customers' and xact_start is not null limit 1`,
    )) !== undefined;
  const timed = async (work: Promise<unknown>) => {
    const startedAt = performance.now();
    await work;
    return performance.now() - startedAt;
  };

  it('succeed while both regions wait for a lock, and do not block other persons', async () => {
    const neighbour = world.person('CHIARA');
    const alone = await timed(neighbour.fields.edits('email', 'first@example.example'));
    const letGo = [await hold('region_eu', world.acme.user_id), await hold('region_us', world.bolt.user_id)];
    let areOver = false;
    const edits = Promise.all(all().map(({ person }) => timed(person.fields.edits('email', 'two@example.example')))).finally(
      () => (areOver = true),
    );
    // On a slow machine a request may time out before it comes to the lock.
    for (const name of ['region_eu', 'region_us'] as const)
      await until(async () => areOver || (await lockWaits(internals.database(name), 'transactionid')) > 0, `somebody waits in ${name}`);

    await until(async () => (await pending()).length === 2 * PERSONS, 'all are kept at home, though no region has answered');
    for (const name of ['region_eu', 'region_us'] as const)
      await until(async () => !(await isAnyOpen(name)), 'none of them holds a connection meanwhile');
    expect(await timed(neighbour.fields.edits('email', 'chiara@example.example'))).toBeLessThan(4000 + 20 * alone);
    expect(Math.max(...(await edits))).toBeLessThan(20_000 + 20 * alone);

    await Promise.all(letGo.map((release) => release()));
  });

  it('are stored at home first, and reach the other region later', async () => {
    const { items } = await inUs![0]!.person.asks(contactData.listContactData, {});
    expect(await inUs![0]!.person.opens(items[0]!.value)).toBe('two@example.example');

    await moving.comesAbout(async () => (await pending()).length === 0, 'every change has arrived');
    for (const one of all()) expect(await shared(one)).toBe('two@example.example');
    expect(await hearsOf(world.shop)).toEqual([
      ...Array<string>(PERSONS).fill('connection_created'),
      ...Array<string>(PERSONS).fill('field_updated mail'),
    ]);
  });

  it('never overtake earlier edits of the same person', async () => {
    const [ben] = inUs as [Customer];
    const release = await hold('region_eu', world.acme.user_id);
    await ben.person.fields.edits('email', 'three@example.example');
    expect(await pending()).toHaveLength(1);
    await expect(ben.person.fields.edits('email', 'four@example.example')).rejects.toEqual(refused('service.unavailable', 503));
    await release();
    await ben.person.fields.edits('email', 'four@example.example');

    expect(await shared(ben)).toBe('four@example.example');
    expect(await pending()).toEqual([]);
    expect(await hearsOf(world.shop)).toEqual(['field_updated mail', 'field_updated mail']);
  });

  it('cause one event when they arrive twice', async () => {
    const [{ person, connection, backend }] = inUs as [Customer];
    const value = await person.sealsFor(backend, 'five@example.example');
    const follow = {
      user_id: person.user_id,
      field: 'email',
      company_user_id: world.acme.user_id,
      is_private: true,
      copies: [{ connection_id: connection.id, slug: 'mail', value }],
      at: new Date(Date.now() + 60_000).toISOString(),
    };
    const [eu, us] = [await world.busAs('platform-region-eu'), await world.busAs('platform-region-us')];
    await us.request(CONNECTION_SUBJECTS.follow, { region: 'eu' }, follow);
    await us.request(CONNECTION_SUBJECTS.follow, { region: 'eu' }, follow);
    const ofEu = { ...follow, user_id: inEu![0]!.person.user_id };
    await expect(eu.request(CONNECTION_SUBJECTS.follow, { region: 'us' }, ofEu)).rejects.toEqual(refused('region.rebase_required', 421));

    expect(await hearsOf(world.shop)).toEqual(['field_updated mail']);
  });

  it('wait for an edit of the same person in another process, and are refused if that takes long', async () => {
    const { person } = inEu![1]!;
    const lease = (seconds: number) =>
      execute(
        internals.database('region_eu'),
        sql`
        update customer_write set lease_id = 'lease_of_another', leased_until = clock_timestamp() + make_interval(secs => ${seconds})
         where customer_user_id = ${person.user_id}`,
      );
    await lease(1);
    await person.fields.edits('email', 'three@example.example');
    expect(await shared(inEu![1]!)).toBe('three@example.example');

    await lease(60);
    await expect(person.fields.edits('email', 'four@example.example')).rejects.toEqual(refused('rate_limit.exceeded', 429));
    await lease(-1);
    await person.fields.edits('email', 'four@example.example');
    expect(await shared(inEu![1]!)).toBe('four@example.example');
    await hears(world.boltShop);
  });

  it('renew their lease while they take long', async () => {
    const [{ user_id }, db] = [inEu![2]!.person, internals.database('region_eu')];
    const writes = new CustomerWrites(db, { write: (_user, work) => db.transaction(work) }, new ManualClock(new Date()), silentLog);
    const seconds = async () => {
      const left = sql`select extract(epoch from leased_until - clock_timestamp())::float8 as left from customer_write
        where customer_user_id = ${user_id}`;
      return (await one<{ left: number }>(db, left))!.left;
    };

    const nothing = async () => undefined;
    await writes.leased(user_id, nothing, async () => {
      expect(await seconds()).toBeLessThanOrEqual(LEASE_SECONDS);
      await execute(db, sql`update customer_write set leased_until = clock_timestamp() where customer_user_id = ${user_id}`);
      await until(async () => (await seconds()) > LEASE_SECONDS / 2, 'the lease is renewed');
    });

    expect(await seconds()).toBe(-Infinity);
  });

  it('reach a company that moved before they arrived @spec D1-5.6', async () => {
    const customer = inUs![2]!;
    const inHome = internals.database('region_us');
    const release = await hold('region_eu', world.acme.user_id);
    await customer.person.fields.edits('email', 'three@example.example');
    await execute(inHome, sql`update slot_change set next_at = next_at + interval '1 day'`);
    await release();
    await moving.moves(world.acme, 'us');
    await moving.arrives(world.acme);

    expect(await shared(customer)).toBe('two@example.example');
    await expect(customer.person.connections.drops(customer.connection, 'mail')).rejects.toEqual(refused('service.unavailable', 503));
    await execute(inHome, sql`update slot_change set next_at = next_at - interval '1 day'`);
    await moving.comesAbout(async () => (await pending()).length === 0, 'the change has arrived');
    expect(await shared(customer)).toBe('three@example.example');
    expect(await hearsOf(world.shop)).toEqual(['field_updated mail']);
  });
});
