import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { importValuePublicKey, sealValueInPieces } from '@cds/crypto';
import { PdfRefusal } from '@cds/pdf';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { findConnection } from '../connections/index.ts';
import { REGION_DB } from '../databases.ts';
import type { UploadedPayload } from '../files/index.ts';
import { PlatformSeal } from '../seals/index.ts';
import { findService } from '../services/index.ts';
import { openActFile, type ActFile } from './act-file.service.ts';
import { withSigner, type DocumentRow, type PersonalDocument, type SignatureRow } from './document-row.ts';
import { PayloadUploads } from './payloads.service.ts';
import { takeUpload } from './payloads.store.ts';

/** The two stored copies of a sealed PDF, one encrypted for each party. They belong to no document yet. */
export interface SealedFile {
  sealed_at: Date;
  /** The digests of the document whose PDF was sealed. */
  of: Pick<DocumentRow, 'content_sha256' | 'plain_sha256'>;
  recipient: UploadedPayload;
  company: UploadedPayload;
}

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
      const sealed = await this.sealed(document, pdf, withSigner(signature, connection.display_name));
      const copies = await this.storeBoth(document, sealed, [connection.public_key, service.public_key]).finally(() => sealed.fill(0));
      const { content_sha256, plain_sha256 } = document;
      return { sealed_at: signature.created_at, of: { content_sha256, plain_sha256 }, ...copies };
    } finally {
      pdf.fill(0);
    }
  }

  private async storeBoth(
    document: DocumentRow,
    sealed: Buffer,
    [ofRecipient, ofService]: readonly [string, string],
  ): Promise<Pick<SealedFile, 'recipient' | 'company'>> {
    const recipient = await this.store(document, ofRecipient, sealed);
    const company = await this.store(document, ofService, sealed).catch(async (error: unknown) => {
      await this.uploads.abandon(recipient);
      throw error;
    });
    return { recipient, company };
  }

  /**
   * Finds the connection and the service of a document. When one of them is gone the document has ended, so the act comes too late and is
   * refused.
   */
  private async parties(document: PersonalDocument) {
    try {
      const connection = await findConnection(this.db, document, document.connection_id);
      return { connection, service: await findService(this.db, document) };
    } catch (error) {
      throw error instanceof Refusal ? new Refusal('documents.transition_invalid') : error;
    }
  }

  /** Attaches both copies to the document, or none, in the transaction of the act. The document is locked. */
  async take(tx: EntityManager, document: DocumentRow, { recipient, company }: SealedFile): Promise<void> {
    const taken = [
      await takeUpload(tx, document, { reader: 'recipient', ...recipient }),
      await takeUpload(tx, document, { reader: 'company', ...company }),
    ];
    if (taken.includes(false)) throw new Refusal('service.unavailable');
  }

  async abandon({ recipient, company }: SealedFile): Promise<void> {
    await this.uploads.abandon(recipient);
    await this.uploads.abandon(company);
  }

  private async sealed(
    { name, company_user_id }: DocumentRow,
    pdf: Buffer,
    { action, method, created_at, ...signer }: SignatureRow,
  ): Promise<Buffer> {
    const act = {
      action,
      method,
      signer_first_name: signer.signer_first_name ?? '',
      signer_last_name: signer.signer_last_name ?? '',
      signer_name_verified: signer.signer_name_verified ?? false,
      created_at: created_at.toISOString(),
    };
    try {
      return await this.platform.seal(company_user_id, pdf, { document_name: name, acts: [act] }, created_at);
    } catch (error) {
      if (error instanceof PdfRefusal) throw new Refusal('documents.file_invalid').because(`file: ${error.reason}: ${error.message}`);
      this.log.error('a document could not be sealed', { error });
      throw new Refusal('documents.seal_failed');
    }
  }

  /** Encrypts the sealed PDF while it is stored, so that only two pieces of the wrapper are in memory. */
  private async store(document: DocumentRow, public_key: string, sealed: Buffer): Promise<UploadedPayload> {
    const wrapper = sealValueInPieces(await importValuePublicKey(public_key), envelopeOf(document, sealed));
    return this.uploads.store(document.company_user_id, bytesOf(wrapper));
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text, 'latin1');
}

/** A multiple of three bytes, which base64 writes without padding. */
const ENCODED_BYTES = 48 * 1024;

/** Yields the envelope of the PDF: a sealed file has the same form as every sealed value of a file. @spec D1-2.8 */
async function* envelopeOf({ name }: DocumentRow, pdf: Buffer): AsyncIterable<Uint8Array> {
  const rest = JSON.stringify({ original_name: `${name}.pdf`, mime_type: 'application/pdf', size: pdf.length });
  yield Buffer.from('{"file":"data:application/pdf;base64,');
  for (let from = 0; from < pdf.length; from += ENCODED_BYTES) {
    yield Buffer.from(pdf.toString('base64', from, Math.min(from + ENCODED_BYTES, pdf.length)), 'latin1');
  }
  yield Buffer.from(`",${rest.slice(1)}`);
}
