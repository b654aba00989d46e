import { createHash } from 'node:crypto';
import { documents } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import type { OwnConnection } from '@codase/testing';
import { decryptPiece, encryptPiece } from '../../../src/storage/files/piece-key.ts';
import { envelope, refused } from '../../sharing/connections/connections-world.ts';
import type { DocumentsWorld } from './documents-world.ts';

/** Tests of payloads that are stored while they arrive. @spec D1-2.12 */
export function longDocuments(given: DocumentsWorld): void {
  const { connected, creates, kindsOf, sealed, uploads } = given;

  describe('with long payloads', () => {
    /** A text with the form of a wrapper. No test here opens it. */
    const wrapperOf = (bytes: number) => {
      const [k, iv, d] = [256, 12, bytes].map((length) => Buffer.alloc(length, 'sealed ').toString('base64'));
      return JSON.stringify({ _enc: 1, k, iv, d });
    };

    it.each(['eu', 'us'] as const)('are delivered unchanged to a person in region %s', async (region) => {
      const { person, connection: own } = await connected(region);
      const file = wrapperOf(1_000_001);
      const body = { name: 'Scan', payload_kind: 'file', target: { connection_id: own.id }, file } as const;

      const document = await creates(body);
      const fetched = await person.documents.fetches(document);

      expect(fetched).toMatchObject({ encrypted: true });
      expect((fetched as { value: string }).value === file).toBe(true);
      const again = wrapperOf(1_000_000);
      await given.shop.asks(documents.replaceDocumentFile, { params: { id: document.id }, body: { file: again } });
      expect(((await person.documents.fetches(document)) as { value: string }).value === again).toBe(true);
    });

    it('are accepted when the JSON escapes characters of the base64', async () => {
      const escaped = wrapperOf(1_500_000)
        .replaceAll('YWxl', '//+/')
        .replaceAll('/', String.raw`\/`)
        .replaceAll('+', String.raw`\u002B`);
      const body = JSON.stringify({ name: 'Scan', payload_kind: 'file', target: { connection_id: given.connection.id }, file: escaped });
      const answer = await fetch(`${given.world.regionUrl('eu')}${documents.createDocument.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${(await given.shop.getsToken()).access_token}`, 'content-type': 'application/json' },
        body: body.replaceAll('/', String.raw`\/`),
      });
      const document = (await answer.json()) as { id: string };

      expect(answer.status).toBe(201);
      expect(((await given.ana.documents.fetches(document)) as { value: string }).value === escaped).toBe(true);
    });

    interface PieceRow {
      piece_id: string;
      position: number;
      bytes: Buffer;
      encoding: BufferEncoding;
      piece_key: Buffer | null;
    }
    /** Writes the pieces of a document as the previous release did: as text or, with a key, as the base64 of what was encrypted. */
    const asBefore = async ({ id }: { id: string }) => {
      const rows = await many<PieceRow>(
        given.db,
        sql`select p.*, c.piece_key from document_piece p join document_content c using (content_id) where c.document_id = ${id}`,
      );
      for (const { piece_id, position: below, bytes, encoding, piece_key } of rows) {
        const position = -below;
        const text = (piece_key ? decryptPiece(piece_key, position, bytes) : bytes).toString(encoding);
        const piece = piece_key ? encryptPiece(piece_key, position, Buffer.from(text)).toString('base64') : text;
        const updated = sql`
          update document_piece set piece = ${piece}, bytes = null, encoding = null, position = ${position} where piece_id = ${piece_id}`;
        await execute(given.db, updated);
      }
      return rows.length;
    };

    it('are readable as the release before stored them', async () => {
      const [file, terms] = [wrapperOf(500_001), envelope('application/pdf', 'a long file. '.repeat(40_000))];
      const toAna = await creates({ name: 'Scan', payload_kind: 'file', target: { connection_id: given.connection.id }, file });
      const toAll = await creates({ name: 'Terms', payload_kind: 'file', file: terms });

      expect([await asBefore(toAna), await asBefore(toAll)]).toEqual([4, 4]);

      expect(await given.ana.documents.fetches(toAna)).toEqual({ encrypted: true, value: file });
      const { bytes } = (await given.ana.documents.fetches(toAll)) as { bytes: Uint8Array };
      expect(Buffer.from(bytes).toString('base64') === terms.file.slice(terms.file.indexOf(',') + 1)).toBe(true);
    });

    it('are served as bytes with their digest to every customer, and refused when size or encryption is wrong', async () => {
      const file = envelope('application/pdf', 'a long file. '.repeat(80_000));
      const { id } = await creates({ name: 'Terms', payload_kind: 'file', file });

      const answer = await fetch(`${given.world.regionUrl('eu')}/api/company-data/documents/${id}/file`, {
        headers: { authorization: `Bearer ${(await given.shop.getsToken()).access_token}` },
      });

      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.toString('base64') === file.file.slice(file.file.indexOf(',') + 1)).toBe(true);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('x-platform-content-sha256')).toBe(createHash('sha256').update(bytes).digest('hex'));
      const lies = { ...file, size: file.size - 1 };
      await expect(creates({ name: 'Terms', payload_kind: 'file', file: lies })).rejects.toEqual(refused('request.invalid', 400));
      const clear = { name: 'Bill', payload_kind: 'file', target: { person_user_id: given.ana.user_id }, file } as const;
      await expect(creates(clear)).rejects.toEqual(refused('contact_data.encryption_required', 400));
      expect(await uploads()).toBe(0);
    });

    it('are refused when another member of the body could pass for the payload', async () => {
      const [long, sealedOne] = ['p'.repeat(20_000), JSON.stringify(await sealed(given.ana))];
      const begin = `{"name":"Bill","payload_kind":"file","target":{"person_user_id":"${given.ana.user_id}"}`;
      const bodies = [`${begin},"file":"${long}","file":${sealedOne}}`, `${begin},"metadata":{"${long}":1},"file":${sealedOne}}`];
      const token = (await given.shop.getsToken()).access_token;

      for (const body of bodies) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${given.world.regionUrl('eu')}/api/company-data/documents`, { method: 'POST', headers, body });
        expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error_key: 'request.invalid' })]);
      }

      expect(await uploads()).toBe(0);
    });

    it('are created once for each idempotency key and recipient, and a repeated call returns the present state', async () => {
      const { connection: other } = await connected();
      const sends = (to: OwnConnection, chars: number) =>
        creates({ name: `${chars}`, payload_kind: 'file', target: { connection_id: to.id }, file: wrapperOf(chars), idempotency_key: 'k' });

      const [one, two] = await Promise.all([sends(given.connection, 400_000), sends(given.connection, 400_004)]);
      await given.shop.documents.changes(one, { status: 'ended' });
      const [three, elsewhere] = [await sends(given.connection, 1000), await sends(other, 400_000)];

      expect([two, three]).toEqual([one, { ...one, status: 'ended' }]);
      expect(elsewhere.id).not.toBe(one.id);
      expect(await kindsOf(one)).toEqual(['document_created', 'document_updated']);
      expect(await uploads()).toBe(0);
      await given.shop.documents.deletes(one);
      expect((await sends(given.connection, 1000)).id).not.toBe(one.id);
    });

    it('leave no upload behind when the customer is not found', async () => {
      const body = { name: 'Scan', payload_kind: 'file', target: { share_code: 'NOBODY' }, file: wrapperOf(400_000) } as const;

      await expect(creates(body)).rejects.toEqual(refused('company_data.connection_not_found', 404));

      expect(await uploads()).toBe(0);
    });
  });
}
