import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';

/**
 * Presents events of messages to phones: only the connection, from which the phone reads what is new. A body may be long, and the region of
 * the company may not answer.
 */
@Injectable()
export class MessagePresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    message_received: async ({ object_id: connection_id }) => ({ connection_id }),
    messages_read: async ({ object_id: connection_id }) => ({ connection_id }),
  };
}
