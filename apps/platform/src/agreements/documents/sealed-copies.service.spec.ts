import { createHash } from 'node:crypto';
import { createOneTimeKey, sealBox } from '@codase/crypto';
import { importValuePrivateKey, openValue, readPrivateKeyPem } from '@codase/crypto/open';
import { PdfRefusal, type SignaturesPage } from '@codase/pdf';
import { silentLog } from '@codase/runtime/telemetry';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import type { PlatformSeal } from '../../services/seals/index.ts';
import type { PersonalDocument, SignatureRow } from './document-row.ts';
import type { PayloadUploads } from './payload-uploads.service.ts';
import { SealedCopies } from './sealed-copies.service.ts';

const PDF = Buffer.from('%PDF-1.7 a lease');
const SEALED = Buffer.concat([PDF, Buffer.from(' and its seal')]);
const AT = new Date('2026-11-16T12:00:00Z');
const [RECIPIENT, SERVICE] = SERVICE_KEYS;

const DOCUMENT = {
  document_id: 'doc_1',
  name: 'Lease',
  company_user_id: 'usr_acme',
  service_id: 'svc_1',
  connection_id: 'conn_1',
  content_sha256: 'c'.repeat(64),
  plain_sha256: createHash('sha256').update(PDF).digest('hex'),
} as PersonalDocument;
const SIGNED = {
  action: 'signed',
  method: 'twofa',
  signer_first_name: 'Ada',
  signer_last_name: 'Example',
  signer_name_verified: true,
  created_at: AT,
} as SignatureRow;
const ACCEPTED = {
  ...SIGNED,
  action: 'accepted',
  method: null,
  signer_first_name: null,
  signer_last_name: null,
  signer_name_verified: null,
} as SignatureRow;

describe('copies of a sealed PDF @spec D1-2.12.5', () => {
  let pages: { company: string; page: SignaturesPage; time: Date }[];
  /** Each PDF that was in memory. */
  let seen: Buffer[];
  let stored: string[];
  let abandoned: string[];
  let makeSeal: () => Promise<Buffer>;
  let rows: Record<string, object>;
  beforeEach(() => {
    [pages, seen, stored, abandoned] = [[], [], [], []];
    makeSeal = async () => Buffer.from(SEALED);
    rows = {
      connection: { public_key: RECIPIENT.public_key, display_name: 'Ana Lind' },
      service: { public_key: SERVICE.public_key },
    };
  });

  const query = async (text: string) => {
    const row = rows[/from (\w+)/.exec(text)![1]!];
    return { records: row ? [row] : [] };
  };
  const db = { createQueryRunner: () => ({ query, release: async () => {} }) } as unknown as DataSource;
  const platform = {
    async seal(company: string, pdf: Buffer, page: SignaturesPage, time: Date) {
      pages.push({ company, page, time });
      seen.push(pdf);
      const sealed = await makeSeal();
      seen.push(sealed);
      return sealed;
    },
  } as unknown as PlatformSeal;
  const uploads = {
    async store(_: string, chunks: AsyncIterable<Uint8Array>) {
      let text = '';
      for await (const chunk of chunks) text += Buffer.from(chunk).toString();
      if (stored.push(text) > 1 && !rows['service']) throw new Error('the disk is full');
      return { owner_id: `con_${stored.length}` };
    },
    abandon: async ({ owner_id }: { owner_id: string }) => void abandoned.push(owner_id),
  } as unknown as PayloadUploads;
  const copies = new SealedCopies(db, platform, uploads, silentLog);

  const seals = async (signature = SIGNED) => {
    const otk = createOneTimeKey();
    return copies.seal(DOCUMENT, { otk, box: Buffer.from(await sealBox(otk, PDF), 'base64') }, signature);
  };
  const pdfIn = async ({ pem, passphrase }: typeof SERVICE, wrapper: string) => {
    const text = await openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, passphrase)), wrapper);
    const { file, ...rest } = JSON.parse(text) as { file: string };
    expect(rest).toEqual({ original_name: 'Lease.pdf', mime_type: 'application/pdf', size: SEALED.length });
    return Buffer.from(file.slice('data:application/pdf;base64,'.length), 'base64');
  };
  const isForgotten = () => seen.every((pdf) => pdf.every((byte) => byte === 0));

  it('are encrypted for the recipient and for the company, and the plaintext is erased from memory', async () => {
    const sealed = await seals();

    expect(sealed).toEqual({
      sealed_at: AT,
      of: { content_sha256: DOCUMENT.content_sha256, plain_sha256: DOCUMENT.plain_sha256 },
      copies: [
        { document_id: 'doc_1', reader: 'recipient', uploaded: { owner_id: 'con_1' } },
        { document_id: 'doc_1', reader: 'company', uploaded: { owner_id: 'con_2' } },
      ],
    });
    expect((await pdfIn(RECIPIENT, stored[0]!)).equals(SEALED)).toBe(true);
    expect((await pdfIn(SERVICE, stored[1]!)).equals(SEALED)).toBe(true);
    expect([stored.length, seen.length, isForgotten()]).toEqual([2, 2, true]);
  });

  it("show the signer's name, or for an acceptance the name by which the company knows the person", async () => {
    await seals();
    await seals(ACCEPTED);

    const { signer_first_name, signer_last_name, signer_name_verified } = SIGNED;
    const act = { action: 'signed', method: 'twofa', signer_first_name, signer_last_name, signer_name_verified };
    const acceptance = {
      action: 'accepted',
      method: null,
      signer_first_name: 'Ana Lind',
      signer_last_name: '',
      signer_name_verified: false,
    };
    const pageOf = (acted: object) => ({ document_name: 'Lease', acts: [{ ...acted, created_at: AT.toISOString() }] });
    expect(pages).toEqual([act, acceptance].map((acted) => ({ company: 'usr_acme', page: pageOf(acted), time: AT })));
  });

  it.each([
    ['documents.file_invalid', new PdfRefusal('encrypted', 'it has a password')],
    ['documents.seal_failed', new Error('no process starts')],
  ])('are refused with %s when sealing fails, and the PDF is erased from memory', async (key, error) => {
    makeSeal = () => Promise.reject(error);

    await expect(seals()).rejects.toEqual(expect.objectContaining({ key }));

    expect([stored, isForgotten()]).toEqual([[], true]);
  });

  it('are both abandoned when the second one cannot be stored', async () => {
    makeSeal = async () => {
      delete rows['service']; // the service's key was read before
      return Buffer.from(SEALED);
    };

    await expect(seals()).rejects.toThrow('the disk is full');

    expect([abandoned, seen.length, isForgotten()]).toEqual([['con_1'], 2, true]);
  });

  it.each(['connection', 'service'])('are refused when the %s has been deleted', async (gone) => {
    delete rows[gone];

    await expect(seals()).rejects.toEqual(expect.objectContaining({ key: 'documents.transition_invalid' }));

    expect(seen).toEqual([]);
  });
});
