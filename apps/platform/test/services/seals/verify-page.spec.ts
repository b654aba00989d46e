import { seals, VERIFIED_FILE_BYTES } from '@codase/contracts';
import { fingerprint, loadIdentity, seal, type SealIdentity, type StoredIdentity } from '@codase/pdf';
import { execute, sql } from '@codase/runtime/db';
import { World } from '@codase/testing';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';

const FIXTURES = 'libs/pdf/test/fixtures';
const PDF = readFileSync(`${FIXTURES}/producers/reportlab.pdf`);
const identity = (name: string) => loadIdentity(JSON.parse(readFileSync(`${FIXTURES}/${name}.json`, 'utf8')) as StoredIdentity);
const [OURS, OTHERS] = [identity('identity'), identity('other-identity')];
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const sealedBy = (by: SealIdentity, reason = 'Signed') =>
  seal(PDF, { ...by, reason, signer: 'Platform', time: new Date('2026-11-16T12:00:00Z') });

describe('the verification of sealed PDFs @spec D1-2.12.5', () => {
  let world: World;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    db = await world.opensDatabase('front_door');
    await execute(
      db,
      sql`
      insert into known_seal_certificate (certificate_id, certificate_pem, region, created_at)
      values (${fingerprint(OURS.certificate)}, ${OURS.certificate.toString()}, 'eu', ${world.now})`,
    );
  });
  afterAll(() => world?.close());

  const submits = async (file: Uint8Array) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(file)]), 'contract.pdf');
    const answer = await fetch(`${world.frontDoorUrl}/verify`, { method: 'POST', body: form, headers: { accept: 'text/html' } });
    return { status: answer.status, headers: answer.headers, html: await answer.text() };
  };
  const verifies = (body: Uint8Array) => world.stranger.asks(seals.verifyPdf, { body });

  it('has a page with one form, no script, and no external resources', async () => {
    const { html } = await world.stranger.asks(seals.verifyPage, {});
    const { headers } = await fetch(`${world.frontDoorUrl}/verify`);

    expect(html).toContain('<form method="post" action="/verify" enctype="multipart/form-data">');
    expect(html).toContain('<label for="file">');
    expect(html).not.toMatch(/<script|<img|<link|role="status"/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'$/,
    );
  });

  it.each([
    ['sealed', 'Sealed here, and whole', async () => sealedBy(OURS)],
    ['altered', 'Altered', async () => Buffer.from((await sealedBy(OURS)).toString('latin1').replace('%PDF-1.3', '%PDF-1.4'), 'latin1')],
    ['altered_after_seal', 'Altered after it was sealed', async () => Buffer.concat([await sealedBy(OURS), Buffer.from('\n')])],
    ['signed_by_others', 'Not sealed here', async () => sealedBy(OTHERS)],
    ['not_signed', 'Not sealed', async () => PDF],
    ['unreadable', 'Not readable', async () => Buffer.from('Dear Ana')],
  ])('returns %s to programs, and shows it on the page', async (verdict, title, make) => {
    const file = await make();

    const found = await verifies(file);
    const { status, html } = await submits(file);

    expect(found).toMatchObject({ verdict, bytes: file.length, sha256: sha256(file) });
    expect(status).toBe(200);
    expect(html).toContain(`${title}</h2>`);
    expect(html).toContain(sha256(file));
    expect((await world.stranger.asks(seals.verifyOnPage, { body: file })).html).toContain(`${title}</h2>`);
  });

  it('reports the certificate, the time, and the hash of the signed bytes', async () => {
    const file = await sealedBy(OURS);

    const { signatures } = await verifies(file);
    const { html } = await submits(file);

    expect(signatures).toMatchObject([
      {
        covers_whole_file: true,
        by_this_platform: true,
        claimed_at: '2026-11-16T12:00:00.000Z',
        certificate: { fingerprint_sha256: fingerprint(OURS.certificate) },
        signed: { bytes: PDF.length, sha256: sha256(PDF) },
      },
    ]);
    for (const said of ['the whole file', '2026-11-16T12:00:00.000Z', fingerprint(OURS.certificate), sha256(PDF)])
      expect(html).toContain(said);
  });

  it('shows text of the file on the page only as visible text', async () => {
    const file = await sealedBy(OTHERS, '<b onclick=x>\u202egnp.exe\u0007');

    const { html } = await submits(file);

    expect(html).toContain('&lt;b onclick=x&gt;?gnp.exe?');
    expect((await verifies(file)).signatures[0]!.reason).toBe('<b onclick=x>?gnp.exe?');
  });

  it('lists the seal certificates for independent verification', async () => {
    const { items } = await world.stranger.asks(seals.listKnownCertificates, {});

    expect(items).toEqual([
      expect.objectContaining({ fingerprint_sha256: fingerprint(OURS.certificate), certificate_pem: OURS.certificate.toString() }),
    ]);
  });

  it('is refused without a file, and shows the form again', async () => {
    await expect(verifies(Buffer.alloc(0))).rejects.toEqual(refused('request.invalid', 400));
    await expect(world.stranger.asks(seals.verifyOnPage, { body: Buffer.alloc(0) })).rejects.toEqual(refused('request.invalid', 400));
    const { status, html } = await submits(Buffer.alloc(0));

    expect(status).toBe(400);
    expect(html).toContain('role="alert"');
    expect(html).toContain('choose a PDF that has bytes');
    expect(html).toContain('<form');
  });

  it.each(['/verify', '/api/verify'])('is refused at %s before a file is read that is too long or in another format', async (path) => {
    const sends = (headers: Record<string, string>, body: Buffer) =>
      request(`${world.frontDoorUrl}${path}`, { method: 'POST', headers: { accept: 'application/json', ...headers }, body });

    const long = await sends({ 'content-type': 'application/pdf' }, Buffer.alloc(VERIFIED_FILE_BYTES + 1));
    const json = await sends({ 'content-type': 'application/json' }, Buffer.from('{}'));

    expect([long.statusCode, json.statusCode]).toEqual([413, 415]);
    expect([await long.body.json(), await json.body.json()]).toMatchObject([
      { error_key: 'request.too_large' },
      { error_key: 'request.format_unsupported' },
    ]);
  });
});
