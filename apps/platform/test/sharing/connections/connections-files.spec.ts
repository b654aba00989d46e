import { connections, contactData, customer, SHARED_ONCE_FILE_DAYS } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import { ExpiredFiles } from '../../../src/sharing/connections/expired-files.worker.ts';
import { SharedFiles } from '../../../src/sharing/connections/shared-files.store.ts';
import { PlatformInternals, inOwnTransaction } from '../../support/platform-internals.ts';
import { asksFor, envelope, hears, hearsOf, readsConnection, refused } from './connections-world.ts';
import { fetchFile as fetchFileOf, FILE_ROWS, servesFiles, sha256, sharesFiles, takesMemory } from '../../support/served-files.ts';

describe('binary answers @spec D1-2.8', () => {
  let world: World;
  let internals: PlatformInternals;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    internals = await PlatformInternals.open(world);
    [shop, ana] = [world.shop, world.person('ANA')];
    await asksFor(world.acme, shop.service_id!, FILE_ROWS);
    anas = await sharesFiles(ana, shop);
  });
  afterAll(() => world?.close());

  const slotOf = async (slug: string) =>
    (await readsConnection(shop, anas.id)).fields.find((field) => field.slug === slug)!.service_field_id;
  const fetchFile = (slug: string) => fetchFileOf({ shop, connectionId: anas.id }, slug);

  servesFiles(() => ({ person: ana, shop, stranger: world.boltShop, connectionId: anas.id }));

  it.each(['application/json', 'application/xml', 'text/xml'])('stay in their envelope when they are %s themselves', async (type) => {
    const value = JSON.stringify(envelope(type, '{"encrypted":false,"value":"chosen by the customer"}'));
    const values = [{ slug: 'settings', value, source_private: false }];
    await ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body: { values } });

    const file = await fetchFile('settings');
    expect([file.type, file.digest]).toEqual(['application/json; charset=utf-8', sha256(file.bytes)]);
    expect(JSON.parse(file.bytes.toString())).toEqual({ encrypted: false, value });
  });

  it('are read whole during a concurrent edit', async () => {
    const serviceFieldId = await slotOf('portrait');
    let read: Promise<unknown> = Promise.resolve();
    await inOwnTransaction(internals.database('region_eu'), async (tx) => {
      await execute(tx, sql`lock table shared_file in access exclusive mode`);
      read = shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId } });
      await internals.someoneWaits('region_eu');
      const [stored] = await many<{ row: object }>(
        tx,
        sql`
        select to_jsonb(v) as row from shared_value v where connection_id = ${anas.id} and service_field_id = ${serviceFieldId}`,
      );
      const [piece] = await many<{ row: object }>(
        tx,
        sql`
        select to_jsonb(p) as row from shared_file p join shared_value v using (shared_value_id)
          where v.service_field_id = ${serviceFieldId}`,
      );
      await execute(tx, sql`delete from shared_value where connection_id = ${anas.id} and service_field_id = ${serviceFieldId}`);
      for (const [table, { row }] of [
        ['shared_value', stored!],
        ['shared_file', piece!],
      ] as const) {
        const text = `insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`;
        await execute(tx, { text, values: [JSON.stringify({ ...row, shared_value_id: 'val_next' })] });
      }
    });

    expect(await read).toMatchObject({ content_type: 'image/png' });
  });

  it('are refused with 503 when there is no memory for them, like a long profile @gap D1-7', async () => {
    await ana.fields.edits('passport', 'x'.repeat(200_000));
    const giveBack = takesMemory();
    try {
      expect((await fetchFile('scan')).statusCode).toBe(503);
      await expect(ana.asks(contactData.listContactData, {})).rejects.toEqual(refused('service.overloaded', 503));
    } finally {
      giveBack();
    }

    expect((await fetchFile('scan')).statusCode).toBe(200);
    expect((await ana.asks(contactData.listContactData, {})).items).toHaveLength(1);
  });

  it('expire when shared once: the digest remains, and the file is deleted', async () => {
    const { digest } = await fetchFile('scan');
    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 });

    const { statusCode, bytes } = await fetchFile('scan');
    expect(statusCode).toBe(410);
    expect(JSON.parse(bytes.toString())).toMatchObject({
      error_key: 'company_data.file_expired',
      digest,
      expired_at: new Date(Date.parse(anas.connected_at) + SHARED_ONCE_FILE_DAYS * 86_400_000).toISOString(),
    });
    await shop.getsToken();
    const again = shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId: await slotOf('scan') } });
    await expect(again).rejects.toMatchObject({ key: 'company_data.file_expired', status: 410, extras: { digest } });
    expect((await fetchFile('portrait')).statusCode).toBe(200);

    const db = internals.database('region_eu');
    const pieces = async () => (await many(db, sql`select from shared_file`)).length;
    const before = await pieces();
    const sweeper = new ExpiredFiles(
      db,
      { write: (_user, work) => db.transaction(work) },
      new SharedFiles(),
      { isPaused: () => false },
      new ManualClock(new Date(Date.now() + (SHARED_ONCE_FILE_DAYS + 1) * 86_400_000)),
      silentLog,
    );
    expect(await sweeper.round()).toBe(1);
    expect(await pieces()).toBeLessThan(before);
    expect(await sweeper.round()).toBe(0);
    expect(await many(db, sql`select from shared_value where expires_at is not null and file_deleted is null`)).toEqual([]);
    expect((await fetchFile('scan')).statusCode).toBe(410);
  });

  it('can be shared again after they expired, and a repeated call causes no event', async () => {
    const sharesAgain = () => ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body: { values: [scan] } });
    const scan = { slug: 'scan', value: JSON.stringify(envelope('application/pdf', '%PDF-1.7')), source_private: false };
    await ana.signsIn();
    await sharesAgain();
    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 });
    expect((await fetchFile('scan')).statusCode).toBe(410);
    await hears(shop);

    await ana.signsIn();
    await sharesAgain();
    expect((await fetchFile('scan')).statusCode).toBe(200);
    await sharesAgain();
    expect(await hearsOf(shop)).toEqual(['field_updated scan']);

    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 - 1 });
    await ana.signsIn();
    await sharesAgain();
    await world.passes({ hours: 1 });
    expect((await fetchFile('scan')).statusCode).toBe(200);
    expect(await hearsOf(shop)).toEqual(['field_updated scan']);
  });

  it('are deleted with the connection', async () => {
    await ana.signsIn();
    await ana.connections.disconnects(anas);
    for (const table of ['shared_value', 'shared_file', 'declined_field', 'connection']) {
      expect(await many(internals.database('region_eu'), { text: `select from ${table}`, values: [] })).toEqual([]);
    }
  });
});
