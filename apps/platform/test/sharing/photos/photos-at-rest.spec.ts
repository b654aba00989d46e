import { customer, services } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, World, type Company, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { AbandonedUploads } from '../../../src/storage/files/abandoned-uploads.worker.ts';
import { PhotoContents } from '../../../src/sharing/photos/photos.store.ts';
import { photoOf, png, pngChunk } from '../../support/images.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { inOwnTransaction } from '../../support/platform-internals.ts';
import { S3Server } from '../../storage/files/s3-server.ts';

/** The lock by which the photos of one user change one after the other. */
const PHOTOS_LOCK = 0x70686f74;
const LONG = 700_000;

describe('stored photos @spec D1-5.8', () => {
  let s3: S3Server;
  let moving: MovingWorld;
  let world: World;
  let db: DataSource;
  let others: DataSource;
  let ana: Person;
  beforeAll(async () => {
    s3 = await S3Server.open();
    moving = await MovingWorld.open({ units: ['front-door', 'region-us'], processes: ['region-eu'] });
    ({ world } = moving);
    await world.starts('region-eu', s3.env());
    db = moving.internals.database('region_eu');
    others = await world.opensDatabase('region_eu');
    ana = world.person('ANA');
  });
  afterAll(async () => {
    await moving?.close();
    await s3?.close();
  });

  const rows = ({ user_id }: { user_id: string }) =>
    many<{ photo_id: string; content_type: string | null; piece_key: Buffer | null }>(
      db,
      sql`select * from photo where owner_user_id = ${user_id}`,
    );
  const pieces = ({ user_id }: { user_id: string }) =>
    many<{ bytes: Buffer }>(db, sql`select bytes from photo_piece where owner_user_id = ${user_id}`);
  const objectsOf = ({ user_id }: { user_id: string }) =>
    many<{ state: string }>(db, sql`select state from stored_object where company_user_id = ${user_id} and owner_kind = 'photo'`);
  const rest = (owner: Person | Company, states: readonly string[]) =>
    comesTrue(async () => {
      expect(await pieces(owner)).toEqual([]);
      expect((await objectsOf(owner)).map(({ state }) => state)).toEqual(states);
    });

  it('are discarded when the region crashes during an upload, and the remains are unreadable', async () => {
    const text = 'pixels that would be seen at once'.repeat(20);
    await inOwnTransaction(others, async (tx) => {
      await one(tx, sql`select pg_advisory_xact_lock(${PHOTOS_LOCK}, hashtext(${ana.user_id}))`);
      const adding = ana.photos.adds(photoOf(png(0, pngChunk('IDAT', Buffer.from(text))))).then(
        () => 'added',
        () => 'cut off',
      );
      await comesTrue(async () => expect(await lockWaits(db, 'advisory')).toBe(1));
      await world.kill('region-eu');
      expect(await adding).toBe('cut off');
    });
    await world.restart('region-eu');

    expect(await ana.photos.lists()).toEqual([]);
    expect(await rows(ana)).toMatchObject([{ content_type: null, piece_key: null }]);
    expect((await pieces(ana)).some(({ bytes }) => bytes.includes(text.slice(0, 16)))).toBe(false);
    const round = (minutes: number) => {
      const clock = new ManualClock(new Date(world.now.getTime() + minutes * 60_000));
      return new AbandonedUploads(db, [new PhotoContents()], { isPaused: () => false }, clock, silentLog).round();
    };
    expect(await round(59)).toBe(0);
    expect(await round(61)).toBe(1);
    expect([await rows(ana), await pieces(ana)]).toEqual([[], []]);
  });

  it('are moved to the object store, and read and deleted there', async () => {
    const bytes = png(LONG);
    const photo = await ana.photos.adds(photoOf(bytes));
    await rest(ana, ['stored']);

    expect(Buffer.compare((await ana.photos.reads(photo)).bytes, bytes)).toBe(0);
    await ana.photos.deletes(photo);
    expect(await objectsOf(ana)).toEqual([{ state: 'deleting' }]);
    expect(await many(db, sql`select from stored_object where sealing_key is not null and company_user_id = ${ana.user_id}`)).toEqual([]);
  });

  it('are shown from the store to customers in another region, and move with their company @spec D1-5.6', async () => {
    const company = await moving.newCompany();
    const shop = await moving.creates(company, 'Shop');
    const bytes = png(LONG);
    const photo = await company.photos.of(shop.id).adds(photoOf(bytes));
    await company.asks(services.changeShareConfig, {
      params: { id: shop.id },
      body: { audience: 'both', fields: [], photo_id: photo.id },
    });
    await rest(company, ['stored']);
    const params = { companyCode: company.share_code, serviceCode: shop.share_code };
    const seen = async () => (await world.person('BEN').asks(customer.readShownPhoto, { params })).bytes;

    expect(Buffer.compare(await seen(), bytes)).toBe(0);
    await moving.moves(company, 'us');
    await moving.arrives(company);
    await company.signsIn();

    expect(Buffer.compare((await company.photos.of(shop.id).reads(photo)).bytes, bytes)).toBe(0);
    expect(Buffer.compare(await seen(), bytes)).toBe(0);
    expect(await pieces(company)).toEqual([]);
    await comesTrue(async () => expect((await objectsOf(company)).map(({ state }) => state)).toEqual(['deleting']));
  });
});
