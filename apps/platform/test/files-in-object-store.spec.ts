import { createHash } from 'node:crypto';
import { account, connections, customer, SHARED_ONCE_FILE_DAYS } from '@cds/contracts';
import { ManualClock } from '@cds/runtime/clock';
import { many, one, openDatabase, sql } from '@cds/runtime/db';
import { silentLog } from '@cds/runtime/telemetry';
import { comesTrue, FaultProxy, World, type Backend, type OwnConnection, type Person } from '@cds/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { ExpiredFiles } from '../src/connections/expired-files.worker.ts';
import { DeletedObjects } from '../src/files/deleted-objects.worker.ts';
import { Files } from '../src/files/files.service.ts';
import { newObjectKey } from '../src/files/object-keys.ts';
import { ObjectSweep } from '../src/files/object-sweep.worker.ts';
import { readStoreId } from '../src/files/stored-objects.store.ts';
import { BehindTheDoors, until } from './behind-the-doors.ts';
import { asksFor, envelope, readsConnection, refused, type NewRow } from './connections-world.ts';
import { S3Server } from './s3-server.ts';

const PORTRAIT: NewRow = { slug: 'portrait', label: 'A photo of you', type: 'photo' };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'document', one_time: true };
const LONG = 'a'.repeat(600_000);

describe('files that rest in an object store', () => {
  let s3: S3Server;
  let proxy: FaultProxy;
  let world: World;
  let behind: BehindTheDoors;
  let db: DataSource;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    s3 = await S3Server.open();
    const { hostname: host, port } = new URL(s3.endpoint);
    proxy = await FaultProxy.open({ target: { host, port: Number(port) } });
    world = await World.open({ units: ['front-door', 'region-us'], processes: ['region-eu'] });
    await world.starts('region-eu', s3.env(`http://127.0.0.1:${proxy.port}`));
    behind = await BehindTheDoors.open(world);
    db = behind.database('region_eu');
    [shop, ana] = [world.shop, world.person('ANA')];
    await asksFor(world.acme, shop.service_id!, [PORTRAIT, SCAN]);
    anas = await ana.asks(customer.connect, {
      body: {
        code: 'ACME/SHOP',
        values: [
          { slug: 'portrait', value: JSON.stringify(envelope('image/png', 'pixels')), source_private: false },
          { slug: 'scan', value: await ana.sealsFor(shop, LONG) },
        ],
      },
    });
  });
  afterAll(async () => {
    await behind?.close();
    await world?.close();
    await proxy?.close();
    await s3?.close();
  });
  afterEach(() => proxy.heal());

  const file = async (slug: string) => {
    const serviceFieldId = (await readsConnection(shop, anas.id)).fields.find((field) => field.slug === slug)!.service_field_id;
    return shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId } });
  };
  const readsScan = async () => shop.opens(((await file('scan')) as { value: string }).value);
  const count = async (text: string) => Number((await one<{ count: string }>(db, { text: `select count(*) ${text}`, values: [] }))!.count);
  const inDatabase = () => count('from (select distinct shared_value_id from shared_file) f');
  const objects = (state: string) => count(`from stored_object where state = '${state}'`);
  const restsInStore = (files: number) =>
    comesTrue(async () => {
      expect([await inDatabase(), await objects('stored')]).toEqual([0, files]);
    });
  const givesPortrait = async (text: string) => {
    await ana.signsIn();
    const value = JSON.stringify(envelope('image/png', text));
    const values = [{ slug: 'portrait', value, source_private: false }];
    await ana.asks(customer.changeCustomerConnection, { params: { connectionId: anas.id }, body: { values } });
  };

  const here = { base: 'region', region: 'eu' } as const;
  const files = () => new Files(db, s3.store, here, silentLog);
  const sweep = (log = silentLog) => new ObjectSweep(db, s3.store, files(), log);
  const sweepsAgain = async (...sweeps: ObjectSweep[]) => {
    await many(db, sql`update object_store set swept_at = '-infinity', leased_until = '-infinity', sweep_cursor = ''`);
    await Promise.all(sweeps.map((one) => one.round()));
  };
  const deletes = (deleteAfterDays = 0, store = s3.store) =>
    new DeletedObjects(db, store, { store: 's3', deleteAfterDays }, silentLog).round();

  it('come there from the database, sealed, and are served as before', async () => {
    await restsInStore(2);

    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
    expect(await readsScan()).toBe(LONG);
    const keys = await s3.keys();
    expect(new Set(keys.map((key) => key.split('/')[1])).size).toBe(1);
    const bytes = await Promise.all(
      keys.map(async (key) => {
        let text = '';
        for await (const chunk of await s3.store.get(key)) text += Buffer.from(chunk).toString('latin1');
        return text;
      }),
    );
    expect(bytes.join('')).not.toContain('image/png');
    expect(bytes.join('')).not.toContain('aaaaaaaa');
  });

  it('are out of reach while the store is, with 503, and those that are given meanwhile are not', async () => {
    proxy.cutAfter(0, 'client');
    await expect(readsScan()).rejects.toEqual(refused('service.unavailable', 503));

    await givesPortrait('while it was away');
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });

    await proxy.heal();
    await restsInStore(2);
    expect(await readsScan()).toBe(LONG);
  });

  it('are refused where the store has other bytes, or those of another file', async () => {
    const [stored] = await many<{ object_key: string }>(
      db,
      sql`select object_key from stored_object where state = 'stored' order by bytes desc`,
    );
    const key = stored!.object_key;
    const chunks: Uint8Array[] = [];
    for await (const chunk of await s3.store.get(key)) chunks.push(chunk);
    const whole = Buffer.concat(chunks);
    const puts = async (bytes: Buffer) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await s3.store.put(key, {
        bytes: bytes.length,
        sha256,
        async *read() {
          yield bytes;
        },
      });
    };

    await puts(Buffer.concat([Buffer.from([whole[0]! ^ 1]), whole.subarray(1)]));
    await expect(readsScan()).rejects.toEqual(refused('service.unavailable', 503));
    await puts(whole);
    expect(await readsScan()).toBe(LONG);
  });

  it('are counted where an object is missing, by one sweep of two, and never deleted', async () => {
    const [stored] = await many<{ object_key: string }>(
      db,
      sql`select object_key from stored_object where state = 'stored' order by bytes`,
    );
    await many(db, sql`update stored_object set missing_since = null`);
    await s3.store.delete(stored!.object_key);
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) } as typeof silentLog;
    await sweepsAgain(sweep(log), sweep(log));

    expect(errors).toEqual(['objects of files are missing in the object store']);
    expect(await count('from stored_object where missing_since is not null')).toBe(1);
    await expect(file('portrait')).rejects.toEqual(refused('service.unavailable', 503));
    expect(await objects('stored')).toBe(2);

    await givesPortrait('given again');
    await restsInStore(2);
    expect(await count('from stored_object where missing_since is not null')).toBe(0);
  });

  it('leave nothing behind: what no row has is deleted, and what is not ours is not', async () => {
    const prefix = `eu-${await readStoreId(db)}/`;
    const orphan = newObjectKey(prefix, 'usr_gone');
    const foreign = [newObjectKey(`us-${await readStoreId(db)}/`, 'usr_gone'), 'readme.txt', `${prefix}readme.txt`];
    const content = {
      bytes: 1,
      sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      read: async function* () {
        yield Buffer.from('x');
      },
    };
    for (const key of [orphan, ...foreign]) await s3.store.put(key, content);

    await sweepsAgain(sweep(), sweep());
    await deletes(1);
    expect(await s3.keys()).toContain(orphan);
    await Promise.all([deletes(), deletes()]);

    expect(await objects('deleting')).toBe(0);
    const stored = await many<{ object_key: string }>(db, sql`select object_key from stored_object`);
    expect((await s3.keys()).toSorted()).toEqual([...stored.map(({ object_key }) => object_key), ...foreign].toSorted());
    for (const key of foreign) await s3.store.delete(key);
  });

  it('are in one place, whole, when the region dies between the upload and its end', async () => {
    const before = await s3.keys();
    const owner = await openDatabase({ url: world.ownerDatabaseUrl('region_eu'), name: 'files-spec', pool: 1 });
    await owner.query(`
      create function wait_for_test() returns trigger language plpgsql
        as $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`);
    await owner.query(`
      create trigger wait_for_test before update on stored_object
        for each row when (new.state = 'stored') execute function wait_for_test()`);
    const release = await behind.hold('region_eu', sql`select pg_advisory_xact_lock(4711)`);
    await givesPortrait('before the crash');
    await behind.someoneWaits('region_eu', 'advisory');
    expect((await s3.keys()).length).toBe(before.length + 1);
    await world.kill('region-eu');
    await release();
    await owner.query(`drop trigger wait_for_test on stored_object`);
    await owner.destroy();

    expect([await inDatabase(), await objects('uploading')]).toEqual([1, 1]);
    await world.restart('region-eu');
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
    await many(db, sql`update stored_object set changed_at = now() - interval '2 hours' where state = 'uploading'`);
    await sweep().round();
    await restsInStore(2);
    await deletes();
    expect((await s3.keys()).length).toBe(2);
  });

  it('whose time is over are deleted from the store, also when the store or the region dies in between', async () => {
    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 });
    await world.kill('region-eu');
    const home = { write: <T>(_: string, work: (tx: EntityManager) => Promise<T>) => db.transaction(work) };
    const inAMonth = new ManualClock(new Date(Date.parse(anas.connected_at) + SHARED_ONCE_FILE_DAYS * 86_400_000));
    await new ExpiredFiles(db, home, { isPausedHere: () => false }, here, inAMonth, silentLog).round();
    expect(await objects('stored')).toBe(1);

    const dead = s3.storeAt({ endpoint: 'http://127.0.0.1:1' });
    await expect(deletes(0, dead)).rejects.toThrow('cannot be reached');
    await dead.close();
    expect([await objects('deleting'), (await s3.keys()).length]).toEqual([1, 2]);
    expect(await deletes()).toBe(0);
    // The store deleted it, and the row stayed: what died in between does it once more.
    const [gone] = await many<{ object_key: string }>(
      db,
      sql`update stored_object set retry_at = now() where state = 'deleting' returning object_key`,
    );
    await s3.store.delete(gone!.object_key);
    expect(await deletes()).toBe(1);
    expect([await objects('deleting'), (await s3.keys()).length]).toEqual([0, 1]);
    await world.restart('region-eu');
    await shop.getsToken();
  });

  it('go along when their company moves to a region without a store', async () => {
    const { acme } = world;
    await acme.signsIn();
    await acme.asks(account.migrateRegion, { body: { password: acme.password, region: 'us' } });
    await until(async () => {
      await world.passes({ seconds: 1 });
      return (await behind.stepOf(acme.user_id)) === undefined;
    }, 'the company has moved');

    expect(await objects('stored')).toBe(0);
    await shop.getsToken();
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
  });
});
