import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Callers, type Endpoint } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { ArrivingBody, BodySink, BodySinks } from '@cds/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { newId } from '../ids.ts';
import { Home } from '../regions/index.ts';
import { isClearFile, namesRecipient } from './clear-file.ts';
import { isPersonal } from './document-row.ts';
import { findOfService } from './documents.store.ts';
import { PayloadText, type PayloadDigests } from './payload-text.ts';
import { encryptPiece, newPieceKey } from './piece-key.ts';
import { addPiece, addPieceIfHome, addUpload, removeUpload, type Upload } from './payloads.store.ts';

/** A payload that rests already, and belongs to no document yet. */
export interface UploadedPayload extends PayloadDigests {
  content_id: string;
  piece_key: Buffer | null;
}

/** Payloads on their way in: each piece is stored as it comes, under the lock of the company, so that nothing is written behind a move. */
@Injectable()
export class PayloadUploads implements BodySinks {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A company that sends a file in the clear that is for one has made a mistake: none of it is written to a disk. @spec D1-2.12 */
  open(_: Endpoint, caller: unknown, { before, params }: ArrivingBody): BodySink {
    const service = caller as Callers['service'];
    const { id } = params as { id?: string };
    if (!isClearFile(before)) return this.begin(service.company_user_id);
    if (namesRecipient(before)) throw new Refusal('contact_data.encryption_required');
    return this.begin(service.company_user_id, id === undefined ? undefined : () => this.refuseForOne(service, id));
  }

  /** A document for one recipient takes no file in the clear. */
  async refuseForOne(service: Callers['service'], document_id: string): Promise<void> {
    const document = await findOfService(this.db, service, document_id);
    if (document && isPersonal(document)) throw new Refusal('contact_data.encryption_required');
  }

  /** A payload that is here, or is made while it is stored; its first chunk holds the head of a data URI whole, if it is one. */
  async store(company_user_id: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<UploadedPayload> {
    const upload = this.begin(company_user_id);
    try {
      for await (const chunk of chunks) await upload.write(chunk);
      return await upload.end();
    } catch (error) {
      await upload.abandon();
      throw error;
    }
  }

  async abandon({ content_id }: UploadedPayload): Promise<void> {
    await removeUpload(this.db, content_id);
  }

  private begin(company_user_id: string, mayRest?: () => Promise<void>): PayloadUpload {
    return new PayloadUpload(this.db, this.home, { content_id: newId('con'), company_user_id }, { now: this.clock.now(), mayRest });
  }
}

class PayloadUpload implements BodySink {
  private readonly text = new PayloadText();
  private position = 0;
  private key: Buffer | null | undefined;
  /** The piece before, which is stored while this one comes. */
  private storing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly home: Home,
    private readonly upload: Upload,
    private readonly given: { now: Date; mayRest: (() => Promise<void>) | undefined },
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    if (this.key === undefined) this.key = newPieceKey(bytes);
    for (const piece of this.text.add(bytes)) await this.put(piece);
  }

  async end(): Promise<UploadedPayload> {
    const { piece, digests } = this.text.end();
    if (piece.length > 0 || this.position === 0) await this.put(piece);
    await this.storing;
    return { content_id: this.upload.content_id, piece_key: this.key ?? null, ...digests };
  }

  async abandon(): Promise<void> {
    await this.storing.catch(() => undefined); // whoever abandons it knows why
    if (this.position > 0) await removeUpload(this.db, this.upload.content_id);
  }

  /** Waits for the piece before, whose memory is the next one's, when this one is on its way: the database has always one to store. */
  private async put(piece: Uint8Array): Promise<void> {
    if (this.position === 0) await this.given.mayRest?.();
    const position = ++this.position;
    const stored = this.key ? encryptPiece(this.key, position, piece) : piece;
    if (position === 1) return void (await this.putInTransaction(position, stored)); // the others belong to a content that it makes
    const before = this.storing;
    this.storing = this.putAtOnce(position, stored);
    this.storing.catch(() => undefined); // it is waited for by the next, or by the end
    await before;
  }

  /** One statement, where nobody holds the lock. Elsewhere it is waited for, and refused as any write is. */
  private async putAtOnce(position: number, piece: Uint8Array): Promise<void> {
    if (!(await addPieceIfHome(this.db, this.upload, position, piece))) await this.putInTransaction(position, piece);
  }

  private putInTransaction(position: number, piece: Uint8Array): Promise<unknown> {
    return this.home.write(this.upload.company_user_id, async (tx) => {
      if (position === 1) await addUpload(tx, this.upload, this.given.now);
      await addPiece(tx, this.upload, position, piece);
    });
  }
}
