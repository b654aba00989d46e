import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { importValuePublicKey, sealValueInPieces } from '@codase/crypto';
import { PdfRefusal } from '@codase/pdf';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { findConnection } from '../../sharing/connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import type { UploadedPayload } from '../../storage/files/index.ts';
import { PlatformSeal } from '../../services/seals/index.ts';
import { findService } from '../../services/services/index.ts';
import { openActFile, type ActFile } from './act-file.service.ts';
import { withSigner, type DocumentRow, type PersonalDocument, type SignatureRow } from './document-row.ts';
import { PayloadUploads } from './payload-uploads.service.ts';
import { takeUpload } from './payloads.store.ts';

/** A reader of a PDF: to which key it is encrypted, and which content of which document that is. */
interface CopyReader {
  document_id: string;
  reader: 'recipient' | 'company';
  public_key: string;
}

/** A stored copy of a PDF that belongs to no document yet. */
export type StoredCopy = Pick<CopyReader, 'document_id' | 'reader'> & { uploaded: UploadedPayload };

/** The stored copies of a sealed PDF, one encrypted for each party. */
export interface SealedFile {
  sealed_at: Date;
  /** The digests of the document whose PDF was sealed. */
  of: Pick<DocumentRow, 'content_sha256' | 'plain_sha256'>;
  copies: readonly StoredCopy[];
}

/** What a PDF is called, and the company whose it is. */
type Named = Pick<DocumentRow, 'name' | 'company_user_id'>;

/** Opens the PDF of an act in memory, seals it, and stores a copy for each party. Nothing of it is stored in the clear. @spec D1-2.12.5 */
@Injectable()
export class SealedCopies {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly platform: PlatformSeal,
    private readonly uploads: PayloadUploads,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async seal(document: PersonalDocument, file: ActFile, signature: SignatureRow): Promise<SealedFile> {
    const { connection, service } = await this.parties(document);
    const pdf = await openActFile(document, file);
    try {
      const { document_id, content_sha256, plain_sha256 } = document;
      const copies = await this.sealFor(document, pdf, withSigner(signature, connection.display_name), [
        { document_id, reader: 'recipient', public_key: connection.public_key },
        { document_id, reader: 'company', public_key: service.public_key },
      ]);
      return { sealed_at: signature.created_at, of: { content_sha256, plain_sha256 }, copies };
    } finally {
      pdf.fill(0);
    }
  }

  /** Seals a PDF with the acts of its parties, the last one at the end, and stores a copy of it for each reader. */
  async sealFor(
    of: Named,
    pdf: Buffer,
    acts: SignatureRow | readonly SignatureRow[],
    readers: readonly CopyReader[],
  ): Promise<StoredCopy[]> {
    const sealed = await this.sealed(of, pdf, [acts].flat());
    return this.storeFor(of, sealed, readers).finally(() => sealed.fill(0));
  }

  /** Stores a copy of a PDF for each reader, or none. */
  async storeFor(of: Named, pdf: Buffer, readers: readonly CopyReader[]): Promise<StoredCopy[]> {
    const copies: StoredCopy[] = [];
    try {
      for (const { document_id, reader, public_key } of readers)
        copies.push({ document_id, reader, uploaded: await this.store(of, public_key, pdf) });
      return copies;
    } catch (error) {
      await this.abandon(copies);
      throw error;
    }
  }

  /** Finds the connection and the service of a document. When one of them is gone, the document has ended and the act is refused. */
  private async parties(document: PersonalDocument) {
    try {
      const connection = await findConnection(this.db, document, document.connection_id);
      return { connection, service: await findService(this.db, document) };
    } catch (error) {
      throw error instanceof Refusal ? new Refusal('documents.transition_invalid') : error;
    }
  }

  /** Attaches copies to their documents of the company, or none, in the transaction of the act. The documents are locked. */
  async take(tx: EntityManager, { company_user_id }: Named, copies: readonly StoredCopy[]): Promise<void> {
    for (const { document_id, reader, uploaded } of copies) {
      if (!(await takeUpload(tx, { document_id, company_user_id }, { reader, ...uploaded }))) throw new Refusal('service.unavailable');
    }
  }

  async abandon(copies: readonly StoredCopy[]): Promise<void> {
    for (const { uploaded } of copies) await this.uploads.abandon(uploaded);
  }

  private async sealed({ name, company_user_id }: Named, pdf: Buffer, signatures: readonly SignatureRow[]): Promise<Buffer> {
    const acts = signatures.map(({ action, method, created_at, ...signer }) => ({
      action,
      method,
      signer_first_name: signer.signer_first_name ?? '',
      signer_last_name: signer.signer_last_name ?? '',
      signer_name_verified: signer.signer_name_verified ?? false,
      created_at: created_at.toISOString(),
    }));
    try {
      return await this.platform.seal(company_user_id, pdf, { document_name: name, acts }, signatures.at(-1)!.created_at);
    } catch (error) {
      if (error instanceof PdfRefusal) throw new Refusal('documents.file_invalid').because(`file: ${error.reason}: ${error.message}`);
      this.log.error('a document could not be sealed', { error });
      throw new Refusal('documents.seal_failed');
    }
  }

  /** Encrypts the PDF while it is stored, so that only two pieces of the wrapper are in memory. */
  private async store(of: Named, public_key: string, pdf: Buffer): Promise<UploadedPayload> {
    const wrapper = sealValueInPieces(await importValuePublicKey(public_key), envelopeOf(of, pdf));
    return this.uploads.store(of.company_user_id, bytesOf(wrapper));
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text, 'latin1');
}

/** A multiple of three bytes, which base64 writes without padding. */
const ENCODED_BYTES = 48 * 1024;

/** Yields the envelope of the PDF: a sealed file has the same form as every sealed value of a file. @spec D1-2.8 */
async function* envelopeOf({ name }: Named, pdf: Buffer): AsyncIterable<Uint8Array> {
  const rest = JSON.stringify({ original_name: `${name}.pdf`, mime_type: 'application/pdf', size: pdf.length });
  yield Buffer.from('{"file":"data:application/pdf;base64,');
  for (let from = 0; from < pdf.length; from += ENCODED_BYTES) {
    yield Buffer.from(pdf.toString('base64', from, Math.min(from + ENCODED_BYTES, pdf.length)), 'latin1');
  }
  yield Buffer.from(`",${rest.slice(1)}`);
}
