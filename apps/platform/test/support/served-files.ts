import { createHash } from 'node:crypto';
import { connections, contactData, CONTENT_SHA256_HEADER, customer } from '@codase/contracts';
import { PROCESS_BODY_MEMORY } from '@codase/runtime/http';
import type { Backend, OwnConnection, Person } from '@codase/testing';
import { request } from 'undici';
import { envelope, fileBytes, hears, readsConnection, refused, type NewRow } from '../sharing/connections/connections-world.ts';

/** The request fields of the service. */
export const FILE_ROWS: readonly NewRow[] = [
  { slug: 'portrait', label: 'A photo of you', type: 'photo' },
  { slug: 'identity', label: 'Who you are', type: 'legal_document' },
  { slug: 'scan', label: 'A scan', type: 'document', one_time: true },
  { slug: 'mail', label: 'E-mail', type: 'email' },
  { slug: 'settings', label: 'Your settings', type: 'document' },
];
const PHOTO = envelope('image/png', 'pixels');
const PASSPORT = { pages: [envelope('image/jpeg', 'page one')], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' };
const SCAN = 'a'.repeat(300_000);

/** Takes nearly all memory for bodies, for owners who hold a little each. */
export function takesMemory(): () => void {
  const { callers } = PROCESS_BODY_MEMORY;
  let owners = 0;
  while (callers.take(`owner ${owners}`, 32 * 1024)) owners++;
  return () => {
    while (owners > 0) callers.release(`owner ${--owners}`, 32 * 1024);
  };
}

/** A connection with a portrait and a passport in plaintext, and a scan and a mail that are sealed. */
interface SharedFiles {
  person: Person;
  shop: Backend;
  /** A backend of another company. */
  stranger: Backend;
  connectionId: string;
}

/** A person connects to the service with an answer of each kind. */
export async function sharesFiles(person: Person, shop: Backend): Promise<OwnConnection> {
  await person.asks(contactData.putContactData, { params: { slug: 'passport' }, body: { value: JSON.stringify(PASSPORT) } });
  const connection = await person.asks(customer.connect, {
    body: {
      code: 'ACME/SHOP',
      values: [
        { slug: 'portrait', value: JSON.stringify(PHOTO), source_private: false },
        { slug: 'identity', value: JSON.stringify(PASSPORT), source_private: false, source_field: 'passport' },
        { slug: 'scan', value: await person.sealsFor(shop, SCAN) },
        { slug: 'mail', value: await person.sealsFor(shop, 'somebody@lind.example') },
      ],
    },
  });
  await hears(shop);
  return connection;
}

/** Fetches the file of a slot over HTTP. */
export async function fetchFile({ shop, connectionId }: Pick<SharedFiles, 'shop' | 'connectionId'>, slug: string) {
  const { access_token, api_url } = await shop.getsToken();
  const url = (await readsConnection(shop, connectionId)).values[slug]!.value_url!;
  const { statusCode, headers, body } = await request(`${api_url}${url}`, { headers: { authorization: `Bearer ${access_token}` } });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { statusCode, type: headers['content-type'], digest: headers[CONTENT_SHA256_HEADER.toLowerCase()], bytes };
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Tests what callers can rely on wherever files are stored. Each driver runs these tests. @spec D1-2.8 */
export function servesFiles(given: () => SharedFiles): void {
  const connection = () => readsConnection(given().shop, given().connectionId);
  const slotOf = async (slug: string) => (await connection()).fields.find((field) => field.slug === slug)!.service_field_id;
  const ask = (backend: Backend, serviceFieldId: string, connectionId = given().connectionId) =>
    backend.asks(connections.readSlotFile, { params: { connectionId, serviceFieldId } });
  const file = async (slug: string) => ask(given().shop, await slotOf(slug));

  it('from a private source are served as a wrapper', async () => {
    const { type, bytes, digest } = await fetchFile(given(), 'scan');

    expect(type).toContain('application/json');
    const answer = JSON.parse(bytes.toString()) as { encrypted: boolean; value: string };
    expect(answer.encrypted).toBe(true);
    expect(await given().shop.opens(answer.value)).toBe(SCAN);
    expect(digest).toBe(sha256(bytes));
  });

  it('from any other source are served as their bytes', async () => {
    const { type, bytes, digest } = await fetchFile(given(), 'portrait');
    const pixels = fileBytes('image/png', 'pixels');
    expect([type, bytes.equals(pixels), digest]).toEqual(['image/png', true, sha256(pixels)]);
  });

  it('are not found for an unknown slot, an unknown connection or another company', async () => {
    const { shop, stranger } = given();
    const scan = await slotOf('scan');

    await expect(ask(shop, 'slot_none')).rejects.toEqual(refused('company_data.file_not_found', 404));
    await expect(ask(shop, scan, 'conn_none')).rejects.toEqual(refused('company_data.connection_not_found', 404));
    await expect(ask(stranger, scan)).rejects.toEqual(refused('company_data.connection_not_found', 404));
  });

  it('are not found for a slot with a text value', async () => {
    await expect(file('mail')).rejects.toEqual(refused('company_data.file_not_found', 404));
  });

  it('are listed with value_url in place of value', async () => {
    const { values, values_private } = await connection();

    for (const slug of ['portrait', 'identity', 'scan']) {
      expect(values[slug]!.value_url).toBe(`/api/company-data/connections/${given().connectionId}/slots/${await slotOf(slug)}/file`);
      expect(values[slug]).not.toHaveProperty('value');
    }
    expect(values['mail']).not.toHaveProperty('value_url');
    expect(values_private).toEqual({ portrait: false, identity: false, scan: true, mail: true });
  });

  it('with pages or entries are served as a plaintext envelope, and a passport answers a legal document @spec D1-2.5', async () => {
    expect(await file('identity')).toEqual({ encrypted: false, value: JSON.stringify(PASSPORT) });
    const { bytes, digest } = await fetchFile(given(), 'identity');
    expect(digest).toBe(sha256(bytes));
  });

  it('follow changes of their source field, in plaintext or sealed', async () => {
    const { person, shop, connectionId } = given();
    const renewed = JSON.stringify({ ...PASSPORT, document_number: 'X2' });
    const copies = [{ connection_id: connectionId, slug: 'identity', value: renewed }];
    await person.asks(contactData.putContactData, { params: { slug: 'passport' }, body: { value: renewed, copies } });
    expect(await file('identity')).toEqual({ encrypted: false, value: renewed });
    expect(await hears(shop)).toEqual([
      expect.objectContaining({ event: 'field_updated', slug: 'identity', value_url: expect.stringContaining('/file') }),
    ]);

    const unlike = person.asks(contactData.putContactData, {
      params: { slug: 'passport' },
      body: { value: JSON.stringify(PASSPORT), copies },
    });
    await expect(unlike).rejects.toEqual(refused('contact_data.encryption_required', 400));

    const emptied = person.asks(contactData.putContactData, {
      params: { slug: 'passport' },
      body: { value: '{}', copies: [{ ...copies[0]!, value: '{}' }] },
    });
    await expect(emptied).rejects.toEqual(refused('contact_data.value_invalid', 400));

    await person.fields.edits('passport', renewed);
    expect(await file('identity')).toMatchObject({ encrypted: true });
    expect((await connection()).values_private['identity']).toBe(true);
  });
}
