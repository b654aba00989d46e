import { Controller, Inject } from '@nestjs/common';
import { documents as contracts, Refusal, type Caller, type Input } from '@cds/contracts';
import { Serves, type Call } from '@cds/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { servedInClear, servedSealed } from '../files/index.ts';
import { pageOf, readCursor } from '../paging.ts';
import { ContentReader } from './content-reader.service.ts';
import { isPersonal, type DocumentRow } from './document-row.ts';
import { findOfService, listOfService, listSignatures } from './documents.store.ts';
import { DocumentIssuing } from './issuing.service.ts';
import { DocumentContents } from './payloads.store.ts';
import { presentDocument } from './present.ts';

type Service = Caller<typeof contracts.listDocuments>;

/** The documents that the calling service has issued. @spec D1-2.12 @spec D1-4.7 */
@Controller()
export class DocumentsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly issuing: DocumentIssuing,
    private readonly contents: DocumentContents,
    private readonly payloads: ContentReader,
  ) {}

  @Serves(contracts.listDocuments)
  async list({ query: { limit, cursor, connection_id, status } }: Input<typeof contracts.listDocuments>, caller: Service) {
    const rows = await listOfService(this.db, caller, { connection_id, status }, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, document_id }) => ({ at: created_at, id: document_id }));
    const signatures = await listSignatures(
      this.db,
      items.map(({ document_id }) => document_id),
    );
    return { items: items.map((row) => presentDocument(row, signatures)), next_cursor };
  }

  @Serves(contracts.createDocument)
  create({ body }: Input<typeof contracts.createDocument>, caller: Service, { streamed }: Call) {
    return this.issuing.create(caller, body, streamed);
  }

  @Serves(contracts.readDocument)
  async read({ params: { id } }: Input<typeof contracts.readDocument>, caller: Service) {
    return presentDocument(await this.find(caller, id), await listSignatures(this.db, [id]));
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
   * it has a copy of its own. @spec D1-2.12
   */
  @Serves(contracts.readDocumentFile)
  async readFile({ params: { id } }: Input<typeof contracts.readDocumentFile>, caller: Service) {
    const document = await this.find(caller, id);
    const content = await this.contents.ofReader(this.db, id, isPersonal(document) ? 'company' : 'everybody');
    if (!content) throw new Refusal(isPersonal(document) ? 'documents.recipient_encrypted' : 'documents.not_found');
    const payload = await this.payloads.read(content);
    return isPersonal(document)
      ? servedSealed(content.served_sha256!, payload, content.served_bytes)
      : servedInClear(caller.company_user_id, document, payload, content.served_bytes);
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
