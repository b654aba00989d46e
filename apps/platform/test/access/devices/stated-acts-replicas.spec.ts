import { CONNECTION_SUBJECTS, MESSAGE_SUBJECTS } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { onBehalfOf } from '@codase/runtime/initiator';
import { comesTrue, Device, World, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { asksFor } from '../../sharing/connections/connections-world.ts';

const AT_ONCE = 20;

/** A region in the wrong hands sends one statement many times, and two replicas of the other region take the requests in turn. */
describe('a statement at two replicas of a region @gap D1-5', () => {
  let world: World;
  let db: DataSource;
  let stolen: Bus;
  let person: Person;
  let connection: OwnConnection;
  let device: Device;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await world.opensDatabase('region_eu', { pool: 2 });
    stolen = await world.busAs('platform-region-us');
    await asksFor(world.acme, world.shop.service_id!, [{ slug: 'mail', label: 'E-mail', type: 'email' }]);
    await world.startsReplica('region-eu');
    person = await world.signsUp({ type: 'person', region: 'us' });
    connection = await person.connections.connects('ACME/SHOP');
    device = new Device(() => world.now);
    person.uses(device);
    await person.signsIn();
    await comesTrue(knownToBoth);
  });
  afterAll(() => world?.close());

  const requests = (count: number, send: (nth: number) => Promise<unknown>) =>
    Promise.allSettled(Array.from({ length: count }, (_, nth) => send(nth)));
  /** Neither replica takes a message without a statement any more. */
  const knownToBoth = async () => {
    const bare = { user_id: person.user_id, connection_id: 'conn_of_nobody', body: 'x' as never };
    const answers = await requests(AT_ONCE, () => stolen.request(MESSAGE_SUBJECTS.write, { region: 'eu' }, bare));
    const keys = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as { key?: string }).key : 'stored'));
    expect(keys).toEqual(Array<string>(AT_ONCE).fill('account.device_required'));
  };

  it('stores its act once, however many requests bring it at once and again after another act', async () => {
    const values = [{ slug: 'mail', value: await person.sealsFor(world.shop, 'ana@person.example') }];
    const of = { user_id: person.user_id, connection_id: connection.id, decline: [] };
    const sent = values.map((value) => ({ ...value, live: true, source_private: true, source: null }));
    const states = (body: Record<string, unknown>) => device.states({ act: 'change_customer_connection', on: connection.id, body });
    const shares = { request: { ...of, values: sent, drop: [] }, statement: states({ values }) };
    const drops = { request: { ...of, values: [], drop: ['mail'] }, statement: states({ drop: ['mail'] }) };
    let moments = 0;
    const sends = ({ request, statement }: typeof shares | typeof drops) => {
      const at = new Date(world.now.getTime() + 1000 + ++moments).toISOString();
      return onBehalfOf({ statement }, () => stolen.request(CONNECTION_SUBJECTS.change, { region: 'eu' }, { ...request, at }));
    };

    for (let round = 0; round < 3; round++) {
      await requests(AT_ONCE, () => sends(shares));
      await requests(AT_ONCE, () => sends(drops));
    }

    const rows = await many<{ statement: string }>(
      db,
      sql`select details->>'statement' as statement from audit.entry where object = ${connection.id} and act = 'connection.changed'
           order by epoch, txid, seq`,
    );
    expect(rows).toEqual([{ statement: shares.statement }, { statement: drops.statement }]);
  });
});
