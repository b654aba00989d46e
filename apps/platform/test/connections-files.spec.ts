import { createHash } from 'node:crypto';
import { connections, contactData, CONTENT_SHA256_HEADER, customer, SHARED_ONCE_FILE_DAYS } from '@cds/contracts';
import { ManualClock } from '@cds/runtime/clock';
import { many, sql } from '@cds/runtime/db';
import { silentLog } from '@cds/runtime/telemetry';
import { World, type Backend, type OwnConnection, type Person } from '@cds/testing';
import { request } from 'undici';
import { ExpiredFiles } from '../src/connections/expired-files.worker.ts';
import { BehindTheDoors, inOwnTransaction } from './behind-the-doors.ts';
import { asksFor, envelope, fileBytes, hears, readsConnection, refused, type NewRow } from './connections-world.ts';

const PORTRAIT: NewRow = { slug: 'portrait', label: 'A photo of you', type: 'photo' };
const IDENTITY: NewRow = { slug: 'identity', label: 'Who you are', type: 'legal_document' };
const SCAN: NewRow = { slug: 'scan', label: 'A scan', type: 'document', one_time: true };
const MAIL: NewRow = { slug: 'mail', label: 'E-mail', type: 'email' };

const PHOTO = envelope('image/png', 'pixels');
const PASSPORT = { pages: [envelope('image/jpeg', 'page one')], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' };

describe('binary answers @spec D1-2.8', () => {
  let world: World;
  let behind: BehindTheDoors;
  let shop: Backend;
  let ana: Person;
  let anas: OwnConnection;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    behind = await BehindTheDoors.open(world);
    [shop, ana] = [world.shop, world.person('ANA')];
    await asksFor(world.acme, shop.service_id!, [PORTRAIT, IDENTITY, SCAN, MAIL]);
    await ana.asks(contactData.putContactData, { params: { slug: 'passport' }, body: { value: JSON.stringify(PASSPORT) } });
    anas = await ana.asks(customer.connect, {
      body: {
        code: 'ACME/SHOP',
        values: [
          { slug: 'portrait', value: JSON.stringify(PHOTO), source_private: false },
          { slug: 'identity', value: JSON.stringify(PASSPORT), source_private: false, source_field: 'passport' },
          { slug: 'scan', value: await ana.sealsFor(shop, 'a'.repeat(300_000)) },
          { slug: 'mail', value: await ana.sealsFor(shop, 'ana@lind.example') },
        ],
      },
    });
    await hears(shop);
  });
  afterAll(async () => {
    await behind?.close();
    await world?.close();
  });

  const slotOf = async (slug: string) =>
    (await readsConnection(shop, anas.id)).fields.find((field) => field.slug === slug)!.service_field_id;
  const file = async (slug: string) =>
    shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId: await slotOf(slug) } });
  const fetchFile = async (slug: string) => {
    const { access_token, api_url } = await shop.getsToken();
    const url = (await readsConnection(shop, anas.id)).values[slug]!.value_url!;
    const { statusCode, headers, body } = await request(`${api_url}${url}`, { headers: { authorization: `Bearer ${access_token}` } });
    const bytes = Buffer.from(await body.arrayBuffer());
    return { statusCode, type: headers['content-type'], digest: headers[CONTENT_SHA256_HEADER.toLowerCase()], bytes };
  };

  it('are told by address, where a text is told by value', async () => {
    const { values, values_private } = await readsConnection(shop, anas.id);

    for (const slug of ['portrait', 'identity', 'scan']) {
      expect(values[slug]!.value_url).toBe(`/api/company-data/connections/${anas.id}/slots/${await slotOf(slug)}/file`);
      expect(values[slug]).not.toHaveProperty('value');
    }
    expect(values['mail']).not.toHaveProperty('value_url');
    expect(values_private).toEqual({ portrait: false, identity: false, scan: true, mail: true });
  });

  it('of a private source are a wrapper', async () => {
    const { type, bytes, digest } = await fetchFile('scan');

    expect(type).toContain('application/json');
    const answer = JSON.parse(bytes.toString()) as { encrypted: boolean; value: string };
    expect(answer.encrypted).toBe(true);
    expect(await shop.opens(answer.value)).toBe('a'.repeat(300_000));
    expect(digest).toBe(sha256(bytes));
  });

  it('with pages or entries are an envelope in the clear; a passport answers for a legal document @spec D1-2.5', async () => {
    expect(await file('identity')).toEqual({ encrypted: false, value: JSON.stringify(PASSPORT) });
    const { bytes, digest } = await fetchFile('identity');
    expect(digest).toBe(sha256(bytes));
  });

  it('of any other kind are the bytes themselves', async () => {
    const { type, bytes, digest } = await fetchFile('portrait');
    const pixels = fileBytes('image/png', 'pixels');
    expect([type, bytes.equals(pixels), digest]).toEqual(['image/png', true, sha256(pixels)]);
  });

  it('follow the field they came from, in the clear or sealed', async () => {
    const renewed = JSON.stringify({ ...PASSPORT, document_number: 'X2' });
    const copies = [{ connection_id: anas.id, slug: 'identity', value: renewed }];
    await ana.asks(contactData.putContactData, { params: { slug: 'passport' }, body: { value: renewed, copies } });
    expect(await file('identity')).toEqual({ encrypted: false, value: renewed });
    expect(await hears(shop)).toEqual([
      expect.objectContaining({ event: 'field_updated', slug: 'identity', value_url: expect.stringContaining('/file') }),
    ]);

    const unlike = ana.asks(contactData.putContactData, {
      params: { slug: 'passport' },
      body: { value: JSON.stringify(PASSPORT), copies },
    });
    await expect(unlike).rejects.toEqual(refused('contact_data.encryption_required', 400));

    const emptied = ana.asks(contactData.putContactData, {
      params: { slug: 'passport' },
      body: { value: '{}', copies: [{ ...copies[0]!, value: '{}' }] },
    });
    await expect(emptied).rejects.toEqual(refused('contact_data.value_invalid', 400));

    await ana.fields.edits('passport', renewed);
    expect(await file('identity')).toMatchObject({ encrypted: true });
    expect((await readsConnection(shop, anas.id)).values_private['identity']).toBe(true);
  });

  it('are read whole while an edit comes in between', async () => {
    const serviceFieldId = await slotOf('portrait');
    let read: Promise<unknown> = Promise.resolve();
    await inOwnTransaction(behind.database('region_eu'), async (tx) => {
      await many(tx, sql`lock table shared_file in access exclusive mode`);
      read = shop.asks(connections.readSlotFile, { params: { connectionId: anas.id, serviceFieldId } });
      await behind.someoneWaits('region_eu');
      const [held] = await many<{ row: object }>(
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
      await many(tx, sql`delete from shared_value where connection_id = ${anas.id} and service_field_id = ${serviceFieldId}`);
      for (const [table, { row }] of [
        ['shared_value', held!],
        ['shared_file', piece!],
      ] as const) {
        const text = `insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`;
        await many(tx, { text, values: [JSON.stringify({ ...row, shared_value_id: 'val_next' })] });
      }
    });

    expect(await read).toMatchObject({ content_type: 'image/png' });
  });

  it("are not where there is none, and nobody else's", async () => {
    const ask = (backend: Backend, serviceFieldId: string, connectionId = anas.id) =>
      backend.asks(connections.readSlotFile, { params: { connectionId, serviceFieldId } });

    await expect(ask(shop, await slotOf('mail'))).rejects.toEqual(refused('company_data.file_not_found', 404));
    await expect(ask(shop, 'slot_none')).rejects.toEqual(refused('company_data.file_not_found', 404));
    await expect(ask(shop, await slotOf('scan'), 'conn_none')).rejects.toEqual(refused('company_data.connection_not_found', 404));
    await expect(ask(world.boltShop, await slotOf('scan'))).rejects.toEqual(refused('company_data.connection_not_found', 404));
  });

  it('that were shared once expire: the digest stays, the file goes', async () => {
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

    const db = behind.database('region_eu');
    const pieces = async () => (await many(db, sql`select from shared_file`)).length;
    const before = await pieces();
    const sweeper = new ExpiredFiles(
      db,
      { write: (_user, work) => db.transaction(work) },
      { isPausedHere: () => false },
      { base: 'region', region: 'eu' },
      new ManualClock(new Date(Date.now() + (SHARED_ONCE_FILE_DAYS + 1) * 86_400_000)),
      silentLog,
    );
    expect(await sweeper.round()).toBe(1);
    expect(await pieces()).toBeLessThan(before);
    expect(await sweeper.round()).toBe(0);
    expect((await fetchFile('scan')).statusCode).toBe(410);
  });

  it('are gone with the connection', async () => {
    await ana.signsIn();
    await ana.connections.disconnects(anas);
    for (const table of ['shared_value', 'shared_file', 'declined_field', 'connection']) {
      expect(await many(behind.database('region_eu'), { text: `select from ${table}`, values: [] })).toEqual([]);
    }
  });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
