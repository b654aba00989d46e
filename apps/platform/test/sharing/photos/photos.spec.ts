import { createHash } from 'node:crypto';
import { CONTENT_SHA256_HEADER, customer, PHOTO_CHARS, photos, PHOTOS_EACH, services, type Refusal } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { freePort } from '@codase/servers';
import { eventually, Photos, World, type Company, type NewPhoto, type OwnPhoto, type Person, type User } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { request } from 'undici';
import { lockPhotos } from '../../../src/sharing/photos/photos.store.ts';
import { jpeg, JPEG_SHOWN, jpegMetadata, photoOf, png, pngOf, pngChunk } from '../../support/images.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { EMPTY, inOwnTransaction } from '../../support/platform-internals.ts';

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
const notFound = refused('photos.not_found', 404);
const noService = refused('services.not_found', 404);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** So long that it is stored in several pieces. */
const LONG = 700_000;

const shownBy = (company: Company, id: string, change: { photo_id: string | null }) =>
  company.asks(services.changeShareConfig, { params: { id }, body: { audience: 'both', fields: [], ...change } });

describe('photos @spec D1-5.8', () => {
  let moving: MovingWorld;
  let world: World;
  let eu: DataSource;
  let acme: Company;
  let ana: Person;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    ({ world } = moving);
    eu = moving.internals.database('region_eu');
    acme = await world.signsUp({ type: 'company', region: 'eu' });
    ana = world.person('ANA');
  });
  afterAll(() => moving?.close());

  const newPerson = () => world.signsUp({ type: 'person', region: 'eu' });
  const rowsOf = (user_id: string) => many(eu, sql`select photo_id, service_id from photo where owner_user_id = ${user_id}`);
  const piecesOf = (user_id: string) => many(eu, sql`select piece_id from photo_piece where owner_user_id = ${user_id}`);
  /** Deletes all photos, so that the next test begins without any. */
  const clears = async (photos: Pick<Photos, 'lists' | 'deletes'>) => {
    for (const photo of await photos.lists()) await photos.deletes(photo);
  };
  const fetches = async (user: User, path: string) => {
    const { access_token, api_url } = await user.getsToken();
    const { statusCode, headers, body } = await request(`${api_url}${path}`, { headers: { authorization: `Bearer ${access_token}` } });
    return { statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
  };

  const OWNERS: [string, () => Photos][] = [
    ['a person', () => ana.photos],
    ['a company at the portal', () => acme.photos],
    ['an account client with the capability', () => new Photos(world.automation)],
  ];

  describe.each(OWNERS)('photos in the profile of %s', (_, photosOf) => {
    afterAll(() => clears(photosOf()));

    it('are added, listed, read and deleted', async () => {
      const photos = photosOf();
      const [short, long] = [png(20), png(LONG)];
      expect(await photos.lists()).toEqual([]);

      const first = await photos.adds(photoOf(short));
      await world.passes({ seconds: 1 });
      const second = await photos.adds(photoOf(long));

      expect(first).toEqual({ id: expect.any(String), content_type: 'image/png', size: short.length, created_at: expect.any(String) });
      expect(await photos.lists()).toEqual([first, second]);
      expect(await photos.reads(first)).toEqual({ content_type: 'image/png', bytes: short });
      expect(Buffer.compare((await photos.reads(second)).bytes, long)).toBe(0);
      await photos.deletes(first);
      expect(await photos.lists()).toEqual([second]);
      await expect(photos.reads(first)).rejects.toEqual(notFound);
      await expect(photos.deletes(first)).rejects.toEqual(notFound);
    });

    it('are not found by an unknown or malformed id', async () => {
      const photos = photosOf();

      for (const id of ['pho_nobody', '..%2f', 'x'.repeat(100)]) {
        await expect(photos.reads({ id })).rejects.toEqual(notFound);
        await expect(photos.deletes({ id })).rejects.toEqual(notFound);
      }
    });
  });

  describe('an uploaded photo', () => {
    const [pixel, page] = [png(20), png(2000)];
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const CASES: [string, NewPhoto, Refusal['key']][] = [
      ['a drawing that could run a script', photoOf(drawing, 'image/svg+xml'), 'photos.type_unsupported'],
      ['a drawing that says it is an image of pixels', photoOf(drawing), 'photos.type_unsupported'],
      ['an image that says it is of another kind', photoOf(pixel, 'image/jpeg'), 'photos.type_unsupported'],
      ['an image in a URI of another type', { ...photoOf(pixel), mime_type: 'image/jpeg' }, 'photos.type_unsupported'],
      ['an image that is cut off', photoOf(page.subarray(0, -40)), 'photos.type_unsupported'],
      ['an image of 60,000 × 60,000 pixels in few bytes', photoOf(pngOf(60_000, 60_000)), 'photos.type_unsupported'],
      ['a PDF', photoOf(Buffer.from('%PDF-1.7'), 'application/pdf'), 'photos.type_unsupported'],
      ['no data URI', { ...photoOf(pixel), file: pixel.toString('base64') }, 'photos.type_unsupported'],
      ['another size than it has', { ...photoOf(pixel), size: pixel.length + 1 }, 'request.invalid'],
      ['a photo that is too long', { ...photoOf(png(PHOTO_CHARS * 0.75)) }, 'request.invalid'],
      ['bytes that are no base64', { ...photoOf(page), file: `${photoOf(page).file.slice(0, -8)}%%%%%%%%` }, 'request.invalid'],
      ['a member that nobody knows', { ...photoOf(pixel), service_id: 'ser_other' } as never, 'request.invalid'],
    ];

    it.each(CASES)('is refused: %s', async (__, photo, key) => {
      const service = await moving.creates(acme, 'Refusing');

      await expect(acme.photos.adds(photo)).rejects.toEqual(refused(key, 400));
      await expect(acme.photos.of(service.id).adds(photo)).rejects.toEqual(refused(key, 400));
      expect(await rowsOf(acme.user_id)).toEqual([]);
      await acme.asks(services.deleteService, { params: { id: service.id } });
    });

    it('is stored without its metadata', async () => {
      const secret = 'N 59.3293 E 18.0686';
      const { id, size } = await ana.photos.adds(photoOf(jpeg([JPEG_SHOWN.jfif, ...jpegMetadata(secret, 1)]), 'image/jpeg'));

      const { bytes } = await ana.photos.reads({ id });

      expect(Buffer.from(bytes).includes(secret)).toBe(false);
      expect(Buffer.from(bytes)).toEqual(jpeg([JPEG_SHOWN.jfif]));
      expect(size).toBe(bytes.length);
      await ana.photos.deletes({ id });
    });

    it('is served with the type of its bytes and headers against script execution', async () => {
      const bytes = png(LONG);
      const { id } = await ana.photos.adds(photoOf(bytes));

      const { statusCode, headers, bytes: served } = await fetches(ana, `/api/photos/${id}`);

      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(bytes.length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
        'cache-control': 'no-store',
        [CONTENT_SHA256_HEADER.toLowerCase()]: sha256(bytes),
      });
      expect(sha256(served)).toBe(sha256(bytes));
      await ana.photos.deletes({ id });
    });

    it('is stored encrypted, without its file name', async () => {
      const person = await newPerson();
      const text = 'pixels that would be seen at once'.repeat(20);
      const photo = photoOf(png(0, pngChunk('IDAT', Buffer.from(text))));
      await person.photos.adds({ ...photo, original_name: 'my-holiday.png' });

      const rows = await many(eu, sql`select * from photo p join photo_piece using (photo_id) where p.owner_user_id = ${person.user_id}`);

      expect(rows).toHaveLength(1);
      const stored = (rows[0] as { bytes: Buffer }).bytes;
      expect(stored.includes(text.slice(0, 20))).toBe(false);
      expect(stored.includes('IHDR')).toBe(false);
      expect(JSON.stringify(rows)).not.toContain('my-holiday');
    });
  });

  describe('the maximum number of photos', () => {
    it('applies to a profile, also with concurrent uploads, and a deletion makes room again', async () => {
      const person = await newPerson();
      const adds = () => person.photos.adds(photoOf(png(20)));
      for (let nth = 0; nth < PHOTOS_EACH - 3; nth++) await adds();
      const added = await Promise.allSettled(Array.from({ length: 3 + 5 }, adds));

      const refusals = added.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refusals).toEqual(Array.from({ length: 5 }, () => refused('photos.too_many', 409)));
      expect(await person.photos.lists()).toHaveLength(PHOTOS_EACH);
      expect(await rowsOf(person.user_id)).toHaveLength(PHOTOS_EACH); // what was refused left nothing
      await expect(adds()).rejects.toEqual(refused('photos.too_many', 409));

      await person.photos.deletes((await person.photos.lists())[0]!);
      await adds();
      await expect(adds()).rejects.toEqual(refused('photos.too_many', 409));
    });

    it('applies to a profile over all replicas of the region', async () => {
      const person = await newPerson();
      const [port, opsPort] = await Promise.all([freePort(), freePort()]);
      const replica = await world.startsReplica('region-eu', { port, opsPort });
      const bases = [world.regionUrl('eu'), `http://127.0.0.1:${port}`];
      const adds = (nth: number) => person.asks(photos.addPhoto, { body: photoOf(png(20)) }, { at: bases[nth % 2]! });
      for (let nth = 0; nth < PHOTOS_EACH - 2; nth++) await adds(nth);
      const added = await Promise.allSettled(Array.from({ length: 2 + 6 }, (_, nth) => adds(nth)));
      await replica.kill();

      const refusals = added.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refusals).toEqual(Array.from({ length: 6 }, () => refused('photos.too_many', 409)));
      expect(await rowsOf(person.user_id)).toHaveLength(PHOTOS_EACH);
    });

    it('applies to each service separately', async () => {
      const company = await moving.newCompany();
      const [full, other] = [await moving.creates(company, 'Full'), await moving.creates(company, 'Other')];
      const adds = () => company.photos.of(full.id).adds(photoOf(png(20)));
      for (let nth = 0; nth < PHOTOS_EACH; nth++) await adds();

      await expect(adds()).rejects.toEqual(refused('photos.too_many', 409));
      // Nobody looks through an image for which there is no place.
      const damaged = photoOf(png(2000).subarray(0, -40));
      await expect(company.photos.of(full.id).adds(damaged)).rejects.toEqual(refused('photos.too_many', 409));
      await expect(company.photos.of('ser_nobody').adds(damaged)).rejects.toEqual(noService);
      await company.photos.of(other.id).adds(photoOf(png(20)));
      await company.photos.adds(photoOf(png(20)));
    });
  });

  describe('photos of a service', () => {
    let company: Company;
    let shop: { id: string };
    let desk: { id: string };
    beforeAll(async () => {
      company = await moving.newCompany();
      [shop, desk] = [await moving.creates(company, 'Shop'), await moving.creates(company, 'Desk')];
    });

    it("are added, listed, read and deleted, with entries in the service's log", async () => {
      const photos = company.photos.of(shop.id);
      const bytes = png(LONG);

      await world.passes({ seconds: 1 });
      const photo = await photos.adds(photoOf(bytes));

      expect(await photos.lists()).toEqual([photo]);
      expect(Buffer.compare((await photos.reads(photo)).bytes, bytes)).toBe(0);
      await world.passes({ seconds: 1 });
      await photos.deletes(photo);
      expect(await photos.lists()).toEqual([]);
      await expect(photos.reads(photo)).rejects.toEqual(notFound);
      await expect(photos.deletes(photo)).rejects.toEqual(notFound);
      const { items } = await company.asks(services.readServiceLogs, { params: { id: shop.id }, query: { limit: 2 } });
      expect(items.map(({ kind }) => kind)).toEqual(['photo_deleted', 'photo_added']);
    });

    it('are accessible only there: not in the profile, in another service or for other users', async () => {
      const ofShop = await company.photos.of(shop.id).adds(photoOf(png(20)));
      const ofProfile = await company.photos.adds(photoOf(png(20)));
      const neighbour = await moving.newCompany();
      const elsewhere: [Pick<Photos, 'reads' | 'deletes'>, OwnPhoto][] = [
        [company.photos, ofShop],
        [company.photos.of(desk.id), ofShop],
        [company.photos.of(shop.id), ofProfile],
        [neighbour.photos, ofShop],
        [neighbour.photos, ofProfile],
        [ana.photos, ofProfile],
      ];

      for (const [photos, photo] of elsewhere) {
        await expect(photos.reads(photo)).rejects.toEqual(notFound);
        await expect(photos.deletes(photo)).rejects.toEqual(notFound);
      }
      expect(await company.photos.of(desk.id).lists()).toEqual([]);
      expect(await neighbour.photos.lists()).toEqual([]);
      expect([await company.photos.of(shop.id).lists(), await company.photos.lists()]).toEqual([[ofShop], [ofProfile]]);
      await clears(company.photos);
      await clears(company.photos.of(shop.id));
    });

    it('are not found for another company, and nothing is stored for it', async () => {
      const neighbour = await moving.newCompany();
      const photo = await company.photos.of(shop.id).adds(photoOf(png(20)));

      for (const id of [shop.id, 'ser_nobody', '..%2f']) {
        const photos = neighbour.photos.of(id);
        await expect(photos.lists()).rejects.toEqual(noService);
        await expect(photos.adds(photoOf(png(20)))).rejects.toEqual(noService);
        await expect(photos.reads(photo)).rejects.toEqual(noService);
        await expect(photos.deletes(photo)).rejects.toEqual(noService);
      }
      expect(await rowsOf(neighbour.user_id)).toEqual([]);
      await clears(company.photos.of(shop.id));
    });

    it('are refused as not found when the service ends, also if the upload cannot be cleaned up', async () => {
      const { id } = await moving.creates(company, 'Ending');
      const owner = await world.opensDatabase('region_eu', { role: 'owner' });
      await owner.query(`create function fails() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
      await owner.query(
        `create trigger fails before delete on photo for each row when (old.owner_user_id = '${company.user_id}') execute function fails()`,
      );
      let adding!: Promise<unknown>;
      await inOwnTransaction(eu, async (tx) => {
        await lockPhotos(tx, company.user_id);
        adding = company.photos
          .of(id)
          .adds(photoOf(png(20)))
          .catch((error: unknown) => error);
        await eventually(async () => (await lockWaits(eu, 'advisory')) > 0 || undefined);
        await execute(eu, sql`update service set transition = 'deleting', transition_due_at = now() where service_id = ${id}`);
      });

      expect(await adding).toEqual(noService);
      await owner.query('drop trigger fails on photo');
      await owner.query('drop function fails');
      await owner.destroy();
      await execute(eu, sql`delete from photo where owner_user_id = ${company.user_id} and content_type is null`);
    });

    it('are deleted with the service, also those uploaded at the same moment', async () => {
      for (let round = 0; round < 3; round++) {
        const { id } = await moving.creates(company, `Ending ${round}`);
        const kept = await company.photos.of(id).adds(photoOf(png(LONG)));
        await shownBy(company, id, { photo_id: kept.id });
        const adding = Array.from({ length: 4 }, () => company.photos.of(id).adds(photoOf(png(20))));
        const deleting = company.asks(services.deleteService, { params: { id } });
        const outcomes = await Promise.allSettled(adding);
        await deleting;

        const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        expect(refusals).toEqual(refusals.map(() => noService));
        await expect(company.photos.of(id).lists()).rejects.toEqual(noService);
      }
      expect(await rowsOf(company.user_id)).toEqual([]);
      expect(await piecesOf(company.user_id)).toEqual([]);
    });
  });

  describe('photos that a service shows', () => {
    let company: Company;
    let shop: { id: string; share_code: string };
    let desk: { id: string };
    beforeAll(async () => {
      company = await moving.newCompany();
      [shop, desk] = [await moving.creates(company, 'Shop'), await moving.creates(company, 'Desk')];
    });

    const shows = (photo_id: string | null, id = shop.id) => shownBy(company, id, { photo_id });
    const shown = async (id = shop.id) => (await company.asks(services.readShareConfig, { params: { id } })).photo_id;

    it("must belong to the service or to its company's profile", async () => {
      const [ofProfile, ofShop, ofDesk] = [
        await company.photos.adds(photoOf(png(20))),
        await company.photos.of(shop.id).adds(photoOf(png(20))),
        await company.photos.of(desk.id).adds(photoOf(png(20))),
      ];
      const ofOthers = await acme.photos.adds(photoOf(png(20)));

      expect(await shows(ofProfile.id)).toMatchObject({ photo_id: ofProfile.id });
      expect(await shows(ofShop.id)).toMatchObject({ photo_id: ofShop.id });
      for (const { id } of [ofDesk, ofOthers, { id: 'pho_nobody' }]) await expect(shows(id)).rejects.toEqual(notFound);
      expect(await shown()).toBe(ofShop.id);
      await expect(shownBy(acme, shop.id, { photo_id: ofOthers.id })).rejects.toEqual(noService);
      await clears(acme.photos);
      await Promise.all([clears(company.photos), clears(company.photos.of(shop.id)), clears(company.photos.of(desk.id))]);
    });

    it('are removed from every service when they are deleted, with entries in the logs', async () => {
      const [ofProfile, ofShop] = [await company.photos.adds(photoOf(png(20))), await company.photos.of(shop.id).adds(photoOf(png(20)))];
      await shows(ofProfile.id);
      await shows(ofProfile.id, desk.id);
      await world.passes({ seconds: 1 });
      await company.photos.deletes(ofProfile);

      expect([await shown(), await shown(desk.id)]).toEqual([null, null]);
      const { items } = await company.asks(services.readServiceLogs, { params: { id: desk.id }, query: { limit: 1 } });
      expect(items).toMatchObject([
        { kind: 'share_config_changed', message: 'A photo was deleted, so the service does not show it any more' },
      ]);
      await shows(ofShop.id);
      await company.photos.of(shop.id).deletes(ofShop);
      expect(await shown()).toBeNull();
    });

    it('are either shown or deleted when both happen concurrently', async () => {
      for (let round = 0; round < 8; round++) {
        const [photo, other] = [await company.photos.adds(photoOf(png(20))), await company.photos.adds(photoOf(png(20)))];
        await shows(round % 2 === 0 ? other.id : photo.id);
        const outcomes = await Promise.allSettled([
          shows(photo.id),
          company.photos.deletes(photo),
          shows(photo.id, desk.id),
          shows(other.id),
        ]);

        const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        expect(refusals).toEqual(refusals.map(() => notFound));
        expect(outcomes[1]!.status).toBe('fulfilled');
        expect([other.id, null]).toContain(await shown());
        expect(await shown(desk.id)).toBeNull();
        await company.photos.deletes(other);
      }
    });
  });

  describe('the photo that a customer sees', () => {
    let photo: OwnPhoto;
    const bytes = png(LONG);
    beforeAll(async () => {
      photo = await world.acme.photos.of(world.shop.service_id!).adds(photoOf(bytes));
      await shownBy(world.acme, world.shop.service_id!, { photo_id: photo.id });
      const ofBolt = await world.bolt.photos.adds(photoOf(bytes));
      await shownBy(world.bolt, world.boltShop.service_id!, { photo_id: ofBolt.id });
    });
    afterAll(async () => {
      await clears(world.acme.photos.of(world.shop.service_id!));
      await clears(world.bolt.photos);
    });

    const card = (who: Pick<User, 'asks'>, companyCode: string, serviceCode: string) =>
      who.asks(customer.readServiceCard, { params: { companyCode, serviceCode } });
    const readsPhoto = (who: Pick<User, 'asks'>, companyCode: string, serviceCode: string) =>
      who.asks(customer.readShownPhoto, { params: { companyCode, serviceCode } });
    const readsPhotoOfConnection = (who: Pick<User, 'asks'>, connectionId: string) =>
      who.asks(customer.readConnectionPhoto, { params: { connectionId } });
    const isPhoto = ({ content_type, bytes: served }: { content_type: string; bytes: Uint8Array }) =>
      expect([content_type, sha256(served)]).toEqual(['image/png', sha256(bytes)]);

    it.each([
      ['of the same region', 'ACME', 'SHOP'],
      ['of another region', 'BOLT', 'DESK'],
    ])('is that of a service %s, before and after connecting', async (_, companyCode, serviceCode) => {
      const person = await newPerson();

      const { photo_id } = await card(person, companyCode, serviceCode);
      expect(photo_id).toEqual(expect.any(String));
      isPhoto(await readsPhoto(person, companyCode, serviceCode));
      const connection = await person.connections.connects(`${companyCode}/${serviceCode}`);
      expect(connection.service.photo_id).toBe(photo_id);
      isPhoto(await readsPhotoOfConnection(person, connection.id));
      const { headers } = await fetches(person, `/api/company-connections/${connection.id}/photo`);
      expect(headers).toMatchObject({
        'content-length': String(bytes.length),
        'content-security-policy': expect.stringContaining('sandbox'),
      });
    });

    it('is also visible to companies as customers and to their automation', async () => {
      isPhoto(await readsPhoto(acme, 'BOLT', 'DESK'));
      isPhoto(await readsPhoto(world.automation, 'BOLT', 'DESK'));
      const connection = await world.acme.asCustomer.connections.connects('BOLT/DESK');
      isPhoto(await readsPhotoOfConnection(world.automation, connection.id));
      await world.acme.asCustomer.connections.disconnects(connection);
      await expect(readsPhotoOfConnection(world.automation, connection.id)).rejects.toEqual(
        refused('company_data.connection_not_found', 404),
      );
    });

    it("is not found when the service shows none, or by unknown codes or another user's connection", async () => {
      const person = await newPerson();
      const connection = await person.connections.connects('ACME/SHOP');
      const other = await person.connections.connects('BOLT/DESK');
      const unknown = refused('company_connections.service_not_found', 404);

      for (const [company, service] of [
        ['ACME', 'NOSUCH'],
        ['BOLT', 'NOSUCH'],
        ['NOBODY', 'SHOP'],
        [ana.share_code, 'SHOP'],
      ] as const)
        await expect(readsPhoto(person, company, service)).rejects.toEqual(unknown);
      const stranger = await newPerson();
      for (const { id } of [connection, other, { id: 'conn_nobody' }])
        await expect(readsPhotoOfConnection(stranger, id)).rejects.toEqual(refused('company_data.connection_not_found', 404));

      await shownBy(world.acme, world.shop.service_id!, { photo_id: null });
      expect((await card(person, 'ACME', 'SHOP')).photo_id).toBeNull();
      await expect(readsPhoto(person, 'ACME', 'SHOP')).rejects.toEqual(notFound);
      await expect(readsPhotoOfConnection(person, connection.id)).rejects.toEqual(notFound);
      await clears(world.bolt.photos);
      await expect(readsPhoto(person, 'BOLT', 'DESK')).rejects.toEqual(notFound);
      await expect(readsPhotoOfConnection(person, other.id)).rejects.toEqual(notFound);
    });
  });

  it('move with their company, and services continue to show them @spec D1-5.6', async () => {
    const company = await moving.newCompany();
    const shop = await moving.creates(company, 'Shop');
    const [bytes, small] = [png(LONG), png(20)];
    const [ofShop, ofProfile] = [await company.photos.of(shop.id).adds(photoOf(bytes)), await company.photos.adds(photoOf(small))];
    await shownBy(company, shop.id, { photo_id: ofShop.id });
    const person = await newPerson();
    const connection = await person.connections.connects(`${company.share_code}/${shop.share_code}`);
    const before = await moving.internals.holdings('eu', company.user_id);
    expect(before).toMatchObject({ photo: { rows: 2 } });

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await company.signsIn();

    expect(await moving.internals.holdings('us', company.user_id)).toEqual(before);
    expect(await moving.internals.holdings('eu', company.user_id)).toMatchObject({ photo: EMPTY, photo_piece: EMPTY });
    expect(Buffer.compare((await company.photos.of(shop.id).reads(ofShop)).bytes, bytes)).toBe(0);
    expect(Buffer.compare((await company.photos.reads(ofProfile)).bytes, small)).toBe(0);
    const seen = await person.asks(customer.readConnectionPhoto, { params: { connectionId: connection.id } });
    expect(sha256(seen.bytes)).toBe(sha256(bytes));
    await company.photos.of(shop.id).deletes(ofShop);
    await expect(person.asks(customer.readConnectionPhoto, { params: { connectionId: connection.id } })).rejects.toEqual(notFound);
  });

  it('are deleted with the account @gap D1-5.8', async () => {
    const person = await newPerson();
    await person.photos.adds(photoOf(png(LONG)));
    expect(await piecesOf(person.user_id)).not.toEqual([]);

    await person.phone.requestsDeletion();
    const mails = (await world.mails()).filter(({ to, subject }) => to === person.email && subject.includes('deletes'));
    await person.phone.confirmsDeletion(mails[0]!.code!);

    await moving.comesAbout(async () => (await rowsOf(person.user_id)).length === 0, 'the photos are gone');
    expect(await piecesOf(person.user_id)).toEqual([]);
  });
});
