import { Inject, Injectable } from '@nestjs/common';
import { documents as contracts, Refusal, type Callers, type Endpoint } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { ArrivingBody, BodySink } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PayloadUpload, type StreamedBody, type UploadedPayload } from '../../storage/files/index.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { isClearFile, namesRecipient } from './clear-file.ts';
import { isPersonal } from './document-row.ts';
import { findOfService } from './documents.store.ts';
import { addUpload, DocumentContents } from './payloads.store.ts';

/** Stores payloads of documents while they arrive. */
@Injectable()
export class PayloadUploads implements StreamedBody {
  readonly takes: readonly Endpoint[] = [contracts.createDocument, contracts.replaceDocumentFile];

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly contents: DocumentContents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Opens the sink of a long payload. No part of a file that was sent in the clear for one recipient is written to disk. @spec D1-2.12 */
  open(_: Endpoint, caller: unknown, { before, params }: ArrivingBody): BodySink {
    const service = caller as Callers['service'];
    const { id } = params as { id?: string };
    if (!isClearFile(before)) return this.begin(service.company_user_id);
    if (namesRecipient(before)) throw new Refusal('contact_data.encryption_required');
    return this.begin(service.company_user_id, id === undefined ? undefined : () => this.refuseForOne(service, id));
  }

  /** Refuses a file in the clear when the document is for one recipient. */
  async refuseForOne(service: Callers['service'], document_id: string): Promise<void> {
    const document = await findOfService(this.db, service, document_id);
    if (document && isPersonal(document)) throw new Refusal('contact_data.encryption_required');
  }

  store(company_user_id: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<UploadedPayload> {
    return this.begin(company_user_id).store(chunks);
  }

  async abandon({ owner_id }: UploadedPayload): Promise<void> {
    await this.contents.removeWaiting(this.db, owner_id);
  }

  private begin(company_user_id: string, mayRest?: () => Promise<void>): PayloadUpload {
    const [file, now] = [{ owner_id: newId('con'), company_user_id }, this.clock.now()];
    return new PayloadUpload(this.db, this.home, this.contents, { file, addRow: (tx) => addUpload(tx, file, now), mayRest });
  }
}
