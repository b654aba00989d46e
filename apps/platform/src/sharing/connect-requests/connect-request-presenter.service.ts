import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';

/** Presents to phones that a request has come or is closed. The phones then read the list. */
@Injectable()
export class ConnectRequestPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    connection_requested: async ({ object_id: request_id }) => ({ request_id }),
    connection_request_closed: async ({ object_id: request_id }) => ({ request_id }),
  };
}
