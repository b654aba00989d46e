import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';

/** Presents events of documents to phones: only the id of the document. The phone then reads the document, or removes it. @gap D1-1 */
@Injectable()
export class DocumentPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    document_created: async ({ object_id: document_id }) => ({ document_id }),
    document_updated: async ({ object_id: document_id }) => ({ document_id }),
    document_deleted: async ({ object_id: document_id }) => ({ document_id }),
  };
}
