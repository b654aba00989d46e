import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';

/** Presents to phones that a delegation has changed. The phones then read the list. */
@Injectable()
export class DelegationPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    delegation_changed: async ({ object_id: delegation_id }) => ({ delegation_id }),
  };
}
