import { Controller, Inject } from '@nestjs/common';
import { documents as contracts, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { servedInClear, servedSealed } from '../../storage/files/index.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { ContentReader, DocumentContents } from './payloads.store.ts';
import { isBroadcast, type DocumentRow } from './document-row.ts';
import { findOfService, listOfService } from './documents.store.ts';
import { DocumentIssuer } from './document-issuer.service.ts';
import { presentAll, presentOne } from './presenting.store.ts';

type Service = Caller<typeof contracts.listDocuments>;

/** The documents that the calling service has issued. @spec D1-2.12 @spec D1-4.7 */
@Controller()
export class DocumentsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly issuing: DocumentIssuer,
    private readonly contents: DocumentContents,
    private readonly payloads: ContentReader,
  ) {}

  @Serves(contracts.listDocuments)
  async list({ query: { limit, cursor, connection_id, status } }: Input<typeof contracts.listDocuments>, caller: Service) {
    const rows = await listOfService(this.db, caller, { connection_id, status }, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, document_id }) => ({ at: created_at, id: document_id }));
    return { items: await presentAll(this.db, items), next_cursor };
  }

  @Serves(contracts.createDocument)
  create({ body }: Input<typeof contracts.createDocument>, caller: Service, { streamed }: Call) {
    return this.issuing.create(caller, body, streamed);
  }

  @Serves(contracts.readDocument)
  async read({ params: { id } }: Input<typeof contracts.readDocument>, caller: Service) {
    return presentOne(this.db, await this.find(caller, id));
  }

  @Serves(contracts.changeDocument)
  change({ params: { id }, body }: Input<typeof contracts.changeDocument>, caller: Service) {
    return this.issuing.change(caller, id, body);
  }

  @Serves(contracts.deleteDocument)
  remove({ params: { id } }: Input<typeof contracts.deleteDocument>, caller: Service) {
    return this.issuing.remove(caller, id);
  }

  /**
   * Serves the file of a document. A company cannot read a copy that is sealed to the recipient. Of a contract that the platform has sealed
   * it has a copy of its own, and of a document of a run from the beginning. @spec D1-2.12
   */
  @Serves(contracts.readDocumentFile)
  async readFile({ params: { id } }: Input<typeof contracts.readDocumentFile>, caller: Service) {
    const document = await this.find(caller, id);
    const content = await this.contents.ofReader(this.db, id, isBroadcast(document) ? 'everybody' : 'company');
    if (!content) throw new Refusal(isBroadcast(document) ? 'documents.not_found' : 'documents.recipient_encrypted');
    const payload = await this.payloads.read(content);
    return isBroadcast(document)
      ? servedInClear(caller.company_user_id, document, payload, content.served_bytes)
      : servedSealed(content.served_sha256!, payload, content.served_bytes);
  }

  @Serves(contracts.replaceDocumentFile)
  replaceFile({ params: { id }, body }: Input<typeof contracts.replaceDocumentFile>, caller: Service, { streamed }: Call) {
    return this.issuing.replaceFile(caller, id, body, streamed);
  }

  private async find(caller: Service, document_id: string): Promise<DocumentRow> {
    const document = await findOfService(this.db, caller, document_id);
    if (!document) throw new Refusal('documents.not_found');
    return document;
  }
}
