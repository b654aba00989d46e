import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';

/** Presents messages to phones by the connection alone: a body may be long, and the company's region may not answer. */
@Injectable()
export class MessagePresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    message_received: async ({ object_id: connection_id }) => ({ connection_id }),
    messages_read: async ({ object_id: connection_id }) => ({ connection_id }),
  };
}
