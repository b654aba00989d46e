import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { account, connections, customer, documents, runs, SHARED_ONCE_FILE_DAYS, type Request } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { execute, many, one, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { copyDatabaseInUse, databaseUrl, dropDatabase } from '@codase/servers';
import { comesTrue, FaultProxy, whenAvailable, World, type Backend, type OwnConnection, type Person } from '@codase/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { ExpiredFiles } from '../../../src/sharing/connections/expired-files.worker.ts';
import { SharedFiles } from '../../../src/sharing/connections/shared-files.store.ts';
import { DocumentContents } from '../../../src/agreements/documents/payloads.store.ts';
import { AbandonedUploads } from '../../../src/storage/files/abandoned-uploads.worker.ts';
import { DeletedObjects } from '../../../src/storage/files/deleted-objects.worker.ts';
import { FileMoves } from '../../../src/storage/files/file-moves.worker.ts';
import type { ObjectStore } from '../../../src/storage/files/file-store.ts';
import { Files } from '../../../src/storage/files/files.service.ts';
import { newObjectKey } from '../../../src/storage/files/object-keys.ts';
import { PIECE_BYTES } from '../../../src/kit/text-pieces.ts';
import { RunContents } from '../../../src/agreements/runs/files/run-contents.store.ts';
import { ObjectSweep } from '../../../src/storage/files/object-sweep.worker.ts';
import { countObjects, readStoreId, type StoredObject } from '../../../src/storage/files/stored-objects.store.ts';
import { request } from 'undici';
import { PlatformInternals, until } from '../../support/platform-internals.ts';
import { asksFor, envelope, readsConnection, refused } from '../../sharing/connections/connections-world.ts';
import { ORDER, publishes } from '../../agreements/runs/flow-runs-world.ts';
import { S3Server } from './s3-server.ts';
import { FILE_ROWS, servesFiles, sharesFiles } from '../../support/served-files.ts';

const LONG = 'a'.repeat(600_000);
const PASSWORD_FILE = 'database-password';

/** A promise, and the function that fulfils it. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve };
}

describe('files in an object store', () => {
  let s3: S3Server;
  let proxy: FaultProxy;
  let world: World;
  let internals: PlatformInternals;
  let db: DataSource;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  let secrets: string;
  const puts = (file: string, text: string) => writeFile(join(secrets, file), text);
  beforeAll(async () => {
    s3 = await S3Server.open();
    const { hostname: host, port } = new URL(s3.endpoint);
    proxy = await FaultProxy.open({ target: { host, port: Number(port) } });
    world = await World.open({ units: ['front-door', 'region-us'], processes: ['region-eu'] });
    secrets = await mkdtemp(join(tmpdir(), 'codase-files-'));
    await puts(PASSWORD_FILE, decodeURIComponent(new URL(world.databaseUrl('region_eu')).password));
    await world.starts('region-eu', {
      ...s3.env(`http://127.0.0.1:${proxy.port}`),
      DATABASE_PASSWORD_FILE: join(secrets, PASSWORD_FILE),
    });
    internals = await PlatformInternals.open(world);
    db = internals.database('region_eu');
    [shop, ana] = [world.shop, world.person('ANA')];
    await asksFor(world.acme, shop.service_id!, FILE_ROWS);
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
    await world?.close();
    await proxy?.close();
    await s3?.close();
    await rm(secrets, { recursive: true, force: true });
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
  const files = (store: ObjectStore = s3.store) => new Files(db, store, here, silentLog);
  const sweep = (log = silentLog) => new ObjectSweep(db, s3.store, files(), log);
  const sweepsAgain = async (...sweeps: ObjectSweep[]) => {
    await execute(db, sql`update object_store set swept_at = '-infinity', leased_until = '-infinity', sweep_cursor = ''`);
    await Promise.all(sweeps.map((one) => one.round()));
  };
  /** Moves files as another replica would, so that the test does not wait for the next round of the region. */
  const movesFiles = (to: 's3' | 'postgres' = 's3', through: ObjectStore = s3.store) =>
    new FileMoves(
      db,
      files(through),
      [new SharedFiles(), new DocumentContents(), new RunContents()],
      { store: to, deleteAfterDays: 0 },
      { isPaused: () => false },
      here,
      silentLog,
    ).round();
  /** The store, whose contents are read through `change`. */
  const reading = (change: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): ObjectStore => ({
    put: (...given) => s3.store.put(...given),
    get: async (...given) => change(await s3.store.get(...given)),
    delete: (key) => s3.store.delete(key),
    has: (key) => s3.store.has(key),
    list: (...given) => s3.store.list(...given),
    close: () => s3.store.close(),
  });
  const deletes = (deleteAfterDays = 0, store = s3.store, from = db) =>
    new DeletedObjects(from, store, { store: 's3', deleteAfterDays }, silentLog).round();
  const readStored = async (from: DataSource, object_key: string): Promise<StoredObject> =>
    (await one<StoredObject>(
      from,
      sql`select object_key, sealing_key, bytes::integer from stored_object where object_key = ${object_key}`,
    ))!;
  const readiness = async () => {
    const { statusCode, body } = await request(`${world.opsUrl('region-eu')}/readyz`);
    return { status: statusCode, text: await body.text() };
  };
  /** Waits until readiness has this status and sentence, and the log has the sentence too. */
  const said = (sentence: RegExp, status: number) =>
    comesTrue(async () => {
      const ready = await readiness();
      expect([ready.status, ready.text]).toEqual([status, expect.stringMatching(sentence)]);
      expect(world.logOf('region-eu')).toMatch(sentence);
    });

  it('are moved there from the database, encrypted, and served as before', async () => {
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

  describe('files of each kind', () => {
    let ben: Person;
    let bens: OwnConnection;
    beforeAll(async () => {
      ben = world.person('BEN');
      bens = await sharesFiles(ben, shop);
      await movesFiles();
      await restsInStore(5);
    });
    afterAll(async () => {
      await ben.connections.disconnects(bens);
      await deletes();
    });

    servesFiles(() => ({ person: ben, shop, stranger: world.boltShop, connectionId: bens.id }));
  });

  it('are refused with 503 while the store is unavailable, and new files are still accepted', async () => {
    proxy.cutAfter(0, 'client');
    await expect(readsScan()).rejects.toEqual(refused('service.unavailable', 503));

    await givesPortrait('while it was away');
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });

    await proxy.heal();
    await restsInStore(2);
    expect(await readsScan()).toBe(LONG);
  });

  it("are counted exactly when few, and by the database's estimate when many", async () => {
    // The object of the first portrait, and those of uploads that broke off while the store was away.
    const deleting = await objects('deleting');
    expect(await countObjects(db)).toEqual({ uploading: 0, stored: 2, deleting, missing: 0 });
    await execute(db, sql`insert into stored_object (object_key, state) select 'many/' || n, 'deleting' from generate_series(1, 50) n`);
    const owner = await world.opensDatabase('region_eu', { role: 'owner' });
    await owner.query('vacuum analyze stored_object');
    await execute(db, sql`insert into stored_object (object_key, state) select 'more/' || n, 'deleting' from generate_series(1, 9) n`);

    expect(await countObjects(db, 10)).toEqual({ uploading: 0, stored: 2, deleting: deleting + 50, missing: 0 });
    expect(await countObjects(db)).toMatchObject({ deleting: deleting + 59 });
    await execute(db, sql`delete from stored_object where object_key like 'm%'`);
    await owner.destroy();
  });

  it('cause a readiness message that names the fault: a missing bucket or a wrong password', async () => {
    expect(await readiness()).toMatchObject({ status: 200 });
    const right = await readFile(join(secrets, PASSWORD_FILE), 'utf8');
    await puts(PASSWORD_FILE, 'wrong');
    await execute(
      db,
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'platform-region-eu%'
      and datname = current_database()`,
    );
    await said(/Postgres at 127\.0\.0\.1:\d+ refused the user or password: check DATABASE_URL and DATABASE_PASSWORD/, 503);
    await puts(PASSWORD_FILE, right);
    await comesTrue(async () => expect(await readiness()).toMatchObject({ status: 200 }));

    const objects = await s3.losesBucket();
    await said(/the object store has no bucket codase-test-.*: create it, or check S3_BUCKET/, 200);
    await s3.getsBucketBack(objects);
    await comesTrue(async () => expect((await readiness()).text).not.toContain('no bucket'));
  });

  it.each([
    ['only one of them, while it goes on', false],
    ['the other one, when the first came to a halt for too long', true],
  ])('are moved back whole by two concurrent replicas: by %s', async (_, isHalted) => {
    await restsInStore(2);
    const [firstIsHalfway, mayEnd, firstHasEnded] = Array.from({ length: 3 }, () => gate());
    let bytes = 0;
    const slow = reading(async function* (chunks) {
      for await (const chunk of chunks) {
        yield chunk;
        if ((bytes += chunk.length) < 4 * PIECE_BYTES) continue; // in the second range: pieces of the first are written
        firstIsHalfway!.resolve();
        await mayEnd!.promise;
      }
    });
    const second = reading(async function* (chunks) {
      mayEnd!.resolve();
      await firstHasEnded!.promise;
      yield* chunks;
    });

    const first = movesFiles('postgres', slow).finally(() => firstHasEnded!.resolve());
    await firstIsHalfway!.promise;
    if (isHalted) await execute(db, sql`update stored_object set retry_at = now() where state = 'stored'`);
    await Promise.all([first, movesFiles('postgres', second).finally(() => mayEnd!.resolve())]);

    expect(await readsScan()).toBe(LONG);
    await comesTrue(async () => {
      await movesFiles();
      expect([await inDatabase(), await objects('stored')]).toEqual([0, 2]);
    });
    expect(await readsScan()).toBe(LONG);
    await deletes();
  });

  it('are refused when the store returns other bytes', async () => {
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

  it('are counted once as missing when their object is missing, and their rows are kept', async () => {
    const [stored] = await many<{ object_key: string }>(
      db,
      sql`select object_key from stored_object where state = 'stored' order by bytes`,
    );
    await execute(db, sql`update stored_object set missing_since = null`);
    await s3.store.delete(stored!.object_key);
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) } as typeof silentLog;
    await sweepsAgain(sweep(log), sweep(log));

    expect(errors).toEqual(['objects of files are missing in the object store']);
    expect(await count('from stored_object where missing_since is not null')).toBe(1);
    await expect(file('portrait')).rejects.toEqual(refused('service.unavailable', 503));
    expect(await objects('stored')).toBe(2);

    await givesPortrait('given again');
    await movesFiles();
    await restsInStore(2);
    expect(await count('from stored_object where missing_since is not null')).toBe(0);
  });

  it('leave no orphaned objects, while foreign objects are kept', async () => {
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

  it('are complete in one storage after the region crashes during an upload', async () => {
    const before = await s3.keys();
    const owner = await world.opensDatabase('region_eu', { role: 'owner' });
    await owner.query(`
      create function wait_for_test() returns trigger language plpgsql
        as $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`);
    await owner.query(`
      create trigger wait_for_test before update on stored_object
        for each row when (new.state = 'stored') execute function wait_for_test()`);
    const release = await internals.hold('region_eu', sql`select pg_advisory_xact_lock(4711)`);
    await givesPortrait('before the crash');
    await internals.someoneWaits('region_eu', 'advisory');
    expect((await s3.keys()).length).toBe(before.length + 1);
    await world.kill('region-eu');
    await release();
    await owner.query(`drop trigger wait_for_test on stored_object`);
    await owner.destroy();

    expect([await inDatabase(), await objects('uploading')]).toEqual([1, 1]);
    await world.restart('region-eu');
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
    await execute(db, sql`update stored_object set changed_at = now() - interval '2 hours' where state = 'uploading'`);
    await sweep().round();
    await movesFiles();
    await restsInStore(2);
    await deletes();
    expect((await s3.keys()).length).toBe(2);
  });

  it('are deleted from the store after they expire, also after a failure of the store or region', async () => {
    await world.passes({ hours: SHARED_ONCE_FILE_DAYS * 24 });
    await world.kill('region-eu');
    const home = { write: <T>(_: string, work: (tx: EntityManager) => Promise<T>) => db.transaction(work) };
    const inAMonth = new ManualClock(new Date(Date.parse(anas.connected_at) + SHARED_ONCE_FILE_DAYS * 86_400_000));
    await new ExpiredFiles(db, home, new SharedFiles(), { isPaused: () => false }, inAMonth, silentLog).round();
    expect(await objects('stored')).toBe(1);

    const dead = s3.storeAt({ endpoint: 'http://127.0.0.1:1' });
    await expect(deletes(0, dead)).rejects.toThrow('cannot be reached');
    await dead.close();
    expect([await objects('deleting'), (await s3.keys()).length]).toEqual([1, 2]);
    expect(await deletes()).toBe(0);
    // The store deleted the object and the row stayed, as after a crash in between: the worker deletes once more.
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

  it('are reconciled with a restored older database: missing ones counted, newer ones deleted later', async () => {
    const admin = process.env['CODASE_TEST_POSTGRES_URL']!;
    const [name, copy] = [new URL(world.databaseUrl('region_eu')).pathname.slice(1), `r_${Date.now()}_files`];
    await copyDatabaseInUse(admin, name, copy);
    const [older] = await s3.keys();
    await givesPortrait('since the backup');
    await movesFiles();
    await restsInStore(1);
    const restored = await openDatabase({ url: databaseUrl(world.databaseUrl('region_eu'), { name: copy }), name: 'files-spec', pool: 2 });
    const stored = await readStored(restored, older!);
    expect(await new Files(restored, s3.store, here, silentLog).read(stored)).toContain('image/png');

    await deletes();
    const logged: string[] = [];
    const note = (message: string) => void logged.push(message);
    const log = { ...silentLog, error: note, warn: note } as typeof silentLog;
    await execute(restored, sql`update object_store set swept_at = '-infinity', leased_until = '-infinity', sweep_cursor = ''`);
    await new ObjectSweep(restored, s3.store, new Files(restored, s3.store, here, log), log).round();

    expect(logged).toEqual([
      'objects without a row are in the object store: they are deleted later',
      'objects of files are missing in the object store',
    ]);
    expect(await countObjects(restored)).toEqual({ uploading: 0, stored: 1, deleting: 1, missing: 1 });
    expect(await deletes(35, s3.store, restored)).toBe(0);
    expect((await s3.keys()).length).toBe(1);
    await restored.destroy();
    await dropDatabase(admin, copy);
  });

  describe('files of documents @spec D1-2.12', () => {
    // Characters of two bytes at odd offsets, because pieces of the object and pieces of the database end at different places.
    const WIDE = JSON.stringify({ text: `x${'é'.repeat(200_000)}` });
    let ben: Person;
    let sealed: string;
    let issued: { toBen: { id: string }; wide: { id: string }; terms: { id: string } };
    const TERMS = 'Terms of 2026. '.repeat(20_000);
    const readsOwn = ({ id }: { id: string }) => shop.asks(documents.readDocumentFile, { params: { id } });
    const piecesInDatabase = () => count('from document_piece');
    const contentOf = async ({ id }: { id: string }) =>
      (await one<{ object_key: string }>(
        db,
        sql`select object_key from stored_object o join document_content c on c.content_id = o.owner_id where c.document_id = ${id}`,
      ))!.object_key;
    const restInStore = (objectsThere: number) =>
      comesTrue(async () => expect([await piecesInDatabase(), await objects('stored')]).toEqual([0, objectsThere]));
    const creates = (body: Request<typeof documents.createDocument>['body']) => shop.asks(documents.createDocument, { body });
    beforeAll(async () => {
      ben = world.person('BEN');
      await ben.signsIn();
      await ben.connections.connects('ACME/SHOP');
      await restsInStore(1);
      sealed = await shop.sealsFor(ben, LONG);
      issued = {
        toBen: await creates({ name: 'Scan', payload_kind: 'file', target: { person_user_id: ben.user_id }, file: sealed }),
        wide: await creates({ name: 'Hours', payload_kind: 'json', value: WIDE }),
        terms: await creates({ name: 'Terms', payload_kind: 'file', file: envelope('application/pdf', TERMS) }),
      };
    });

    it('are moved to the store, and served to the company, at home and in another region', async () => {
      await restInStore(4);

      const file = { content_type: 'application/pdf', bytes: new Uint8Array(Buffer.from(TERMS)) };
      const wide = { encrypted: false, value: WIDE };
      expect(await readsOwn(issued.terms)).toEqual(file);
      expect(await readsOwn(issued.wide)).toEqual(wide);
      await ana.signsIn();
      expect(await ana.documents.fetches(issued.terms)).toEqual(file);
      expect(await ben.documents.fetches(issued.terms)).toEqual(file);
      expect(await ben.documents.fetches(issued.wide)).toEqual(wide);
      expect(await ben.documents.fetches(issued.toBen)).toEqual({ encrypted: true, value: sealed });
    });

    it('are refused with 503 while the store is unavailable, and documents can still be issued', async () => {
      proxy.cutAfter(0, 'client');
      await expect(readsOwn(issued.terms)).rejects.toEqual(refused('service.unavailable', 503));
      await expect(ben.documents.fetches(issued.toBen)).rejects.toEqual(refused('service.unavailable', 503));
      const meanwhile = await creates({ name: 'Hours', payload_kind: 'json', value: '{}' });
      expect(await readsOwn(meanwhile)).toEqual({ encrypted: false, value: '{}' });

      await proxy.heal();
      await restInStore(5);
      await shop.documents.deletes(meanwhile);
    });

    it('are cut off when the store returns other bytes', async () => {
      const key = await contentOf(issued.toBen);
      const chunks: Uint8Array[] = [];
      for await (const chunk of await s3.store.get(key)) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const puts = (bytes: Buffer) =>
        s3.store.put(key, {
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          async *read() {
            yield bytes;
          },
        });

      await puts(Buffer.concat([whole.subarray(0, 300_000), Buffer.from([whole[300_000]! ^ 1]), whole.subarray(300_001)]));
      await expect(ben.documents.fetches(issued.toBen)).rejects.toHaveProperty('message');
      await puts(whole);
      expect(await ben.documents.fetches(issued.toBen)).toEqual({ encrypted: true, value: sealed });
    });

    it('are signed from either storage, and both sealed copies replace the issued file', async () => {
      const pdf = await readFile('libs/pdf/test/fixtures/producers/reportlab.pdf');
      const lease = await shop.documents.issuesPdf(ben, pdf);
      await movesFiles();
      await restInStore(5);

      const signed = await whenAvailable(() => ben.documents.signs(lease, pdf));
      expect(signed).toMatchObject({ status: 'active', sealed_at: expect.any(String) });

      await movesFiles();
      await restInStore(6);
      const copies = await Promise.all([ben.documents.fetches(lease), readsOwn(lease)]);
      for (const [nth, holder] of [ben, shop].entries()) {
        const { file } = JSON.parse(await holder.opens((copies[nth] as { value: string }).value)) as { file: string };
        expect(
          Buffer.from(file.slice(file.indexOf(',') + 1), 'base64')
            .subarray(0, pdf.length)
            .equals(pdf),
        ).toBe(true);
      }
      await shop.documents.changes(lease, { status: 'ended' });
      await shop.documents.deletes(lease);
    });

    it('are replaced, accepted, declined and ended in either storage @spec D1-3.3', async () => {
      const [first, second] = await Promise.all(
        ['reportlab', 'cairo'].map((producer) => readFile(`libs/pdf/test/fixtures/producers/${producer}.pdf`)),
      );
      const offer = await shop.documents.issuesPdf(ben, first!, { requires_acceptance: true });
      await movesFiles();
      await restInStore(5);
      const before = await contentOf(offer);
      const file = await shop.sealsFor(ben, second!.toString('base64'));

      const plain_sha256 = createHash('sha256').update(second!).digest('hex');
      await shop.asks(documents.replaceDocumentFile, { params: { id: offer.id }, body: { file, plain_sha256 } });
      await movesFiles();
      await restInStore(5);
      expect([await contentOf(offer)]).not.toContain(before);
      expect(await ben.documents.fetches(offer)).toEqual({ encrypted: true, value: file });

      await expect(ben.documents.accepts(offer, first)).rejects.toEqual(refused('documents.file_invalid', 400));
      const accepted = await whenAvailable(() => ben.documents.accepts(offer, second));
      expect(accepted).toMatchObject({ status: 'active', sealed_at: expect.any(String) });
      await movesFiles();
      await restInStore(6);
      const copy = await ben.documents.fetches(offer);
      const ending = { status: 'active_but_ending', cancel_effective_date: '2099-12-31' } as const;
      for (const change of [ending, { status: 'ended' } as const]) {
        expect(await shop.documents.changes(offer, change)).toMatchObject({ status: change.status });
        expect(await ben.documents.fetches(offer)).toEqual(copy);
      }

      const declined = await shop.documents.issuesPdf(ben, first!, { requires_acceptance: true });
      await movesFiles();
      await restInStore(7);
      expect(await ben.documents.declines(declined)).toMatchObject({ status: 'ended' });
      expect(await ben.documents.fetches(declined)).toMatchObject({ encrypted: true });
      for (const document of [offer, declined]) await shop.documents.deletes(document);
      await restInStore(4);
    });

    it('are deleted from the store with their document', async () => {
      const key = await contentOf(issued.wide);
      await shop.documents.deletes(issued.wide);
      await shop.documents.deletes(issued.toBen);

      await deletes();

      expect(await s3.keys()).not.toContain(key);
      expect(await objects('stored')).toBe(2);
    });

    /** Begins to send a document. Returns the request when some of the document is stored. */
    const beginsUpload = async () => {
      const { access_token } = await shop.getsToken();
      const upload = httpRequest(`${world.regionUrl('eu')}/api/company-data/documents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      });
      upload.on('error', () => undefined);
      upload.write(`{"name":"Scan","payload_kind":"file","file":{"file":"data:application/pdf;base64,${'QUJD'.repeat(100_000)}`);
      await until(async () => (await piecesInDatabase()) > 1, 'pieces of the upload rest');
      return upload;
    };

    it('are discarded when an upload is aborted', async () => {
      const before = await count('from document');
      const upload = await beginsUpload();
      upload.destroy();

      await until(async () => (await piecesInDatabase()) === 0, 'nothing of the upload rests');
      expect([await count('from document'), await count('from document_content where document_id is null')]).toEqual([before, 0]);
    });

    it('are discarded when the region crashes during an upload', async () => {
      const before = await count('from document');
      await beginsUpload();
      await world.kill('region-eu');

      expect([await count('from document'), await count('from document_content where document_id is null')]).toEqual([before, 1]);
      const later = new ManualClock(new Date(world.now.getTime() + 2 * 3_600_000));
      const worker = new AbandonedUploads(db, [new DocumentContents()], { isPaused: () => false }, later, silentLog);
      expect(await worker.round()).toBe(1);
      expect(await piecesInDatabase()).toBe(0);
      await world.comesBack('region-eu');
      await shop.getsToken();
    });
  });

  it('run files are moved to the store, and deleted with their rows @spec D2-4.1 @spec D2-4.2', async () => {
    const before = await objects('stored');
    await ana.signsIn();
    await world.acme.signsIn();
    const flow = await publishes(world.acme, shop.service_id!, ORDER);
    const run = await shop.flows.starts(flow, { target: { connection_id: anas.id } });
    const words = `${LONG} of the run`;
    const scan = await ana.flows.attaches(anas, run, 'scan', words);
    await ana.flows.answers(anas, run, {}, { next_node: 'price' }, [scan]);
    const body = { source_user_id: ana.user_id, value: await shop.sealsFor(shop, LONG) };
    await shop.asks(runs.stageRunFile, { params: { flowId: flow }, body });

    await comesTrue(async () => expect([await count('from flow_run_piece'), await objects('stored')]).toEqual([0, before + 3]));
    const { value } = (await shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug: 'scan' } })) as { value: string };
    expect(await shop.opens(value)).toBe(words);
    proxy.cutAfter(0, 'client');
    const away = shop.asks(runs.readAnswerFile, { params: { runId: run.id, slug: 'scan' } });
    await expect(away).rejects.toEqual(refused('service.unavailable', 503));
    await proxy.heal();

    // When the flow ends, the file in the store becomes the value of the row, piece by piece.
    await shop.flows.answers(run, {}, { next_node: 'confirm' }, [ana]);
    await ana.flows.answers(anas, run, {}, { leaf: true });
    expect([await readsScan(), await count('from flow_run_content where not taken')]).toEqual([words, 0]);
    await movesFiles();
    await comesTrue(async () => expect([await inDatabase(), await objects('stored')]).toEqual([0, before + 4]));
    expect(await readsScan()).toBe(words);

    await execute(
      db,
      sql`delete from shared_value v using request_field f where f.service_field_id = v.service_field_id and f.slug = 'scan'`,
    );
    await execute(db, sql`delete from flow_run_file`);
    await comesTrue(async () => expect([await count('from flow_run_content'), await objects('stored')]).toEqual([0, before]));
    await deletes();
  });

  it('move with their company to a region without a store, and back into the store on return', async () => {
    const { acme } = world;
    const terms = (await shop.asks(documents.listDocuments, { query: {} })).items.find(({ name }) => name === 'Terms')!;
    const readsTerms = () => shop.asks(documents.readDocumentFile, { params: { id: terms.id } });
    const moves = async (region: string) => {
      await acme.signsIn();
      await acme.asks(account.migrateRegion, { body: { password: acme.password, region } });
      await until(async () => {
        await world.passes({ seconds: 1 });
        return (await internals.stepOf(acme.user_id)) === undefined;
      }, 'the company has moved');
      await shop.getsToken();
    };

    await moves('us');
    expect(await objects('stored')).toBe(0);
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
    expect(await readsTerms()).toMatchObject({ content_type: 'application/pdf' });

    await moves('eu');
    await movesFiles();
    await restsInStore(2);
    expect(await file('portrait')).toMatchObject({ content_type: 'image/png' });
    expect(await readsTerms()).toMatchObject({ content_type: 'application/pdf' });
    await deletes();
    expect((await s3.keys()).length).toBe(2);
  });
});
