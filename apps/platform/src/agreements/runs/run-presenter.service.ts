import { Injectable } from '@nestjs/common';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';
import { runIn } from './events.ts';

/** Presents app events of runs: which run it is, and by which connection. The phone then reads the run itself. @gap D2-6 */
@Injectable()
export class RunPresenter implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    flow_run_turn: async ({ object_id }) => runIn(object_id),
    flow_completed: async ({ object_id }) => runIn(object_id),
    flow_run_cancelled: async ({ object_id }) => runIn(object_id),
  };
}
