import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../app-events/index.ts';

/** Phones hear on which connection something is new, and read it from there: a body may be long, and the company's region may be away. */
@Injectable()
export class MessagePresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    message_received: async ({ object_id: connection_id }) => ({ connection_id }),
    messages_read: async ({ object_id: connection_id }) => ({ connection_id }),
  };
}
