import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../app-events/index.ts';

/** What phones hear of documents: which one it is. The phone reads it, or takes it away. @gap D1-1 */
@Injectable()
export class DocumentPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    document_created: async ({ object_id: document_id }) => ({ document_id }),
    document_updated: async ({ object_id: document_id }) => ({ document_id }),
    document_deleted: async ({ object_id: document_id }) => ({ document_id }),
  };
}
