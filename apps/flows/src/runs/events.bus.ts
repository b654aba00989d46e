import { Controller } from '@nestjs/common';
import { FEED, Refusal } from '@codase/contracts';
import { Consumes, type EventContext, type MessageOf } from '@codase/runtime/nest-bus';
import { activeTraceparent } from '@codase/runtime/telemetry';
import { RunsStore } from '../turns/runs.store.ts';
import { CheckWorker } from './check.worker.ts';

/** How many events are handled at once. They only need the database, and their order does not matter: the run is read for its state. */
const AT_ONCE = 16;

/** Takes events that say that a run has moved. The run is then read, because an event has neither its node nor its answers. @spec D2-6 */
@Controller()
export class EventsBus {
  constructor(
    private readonly store: RunsStore,
    private readonly worker: CheckWorker,
  ) {}

  @Consumes(FEED, { as: 'flows_flow_run_turn', only: { event: 'flow_run_turn' }, atOnce: AT_ONCE })
  async turn(event: MessageOf<typeof FEED>, { values }: EventContext<typeof FEED>): Promise<void> {
    if (event.event !== 'flow_run_turn') throw new Refusal('request.invalid');
    await this.note({ service: values.service, flow_run_id: event.flow_run_id }, `awaiting_${event.awaiting_party}`);
  }

  @Consumes(FEED, { as: 'flows_flow_completed', only: { event: 'flow_completed' }, atOnce: AT_ONCE })
  async completed(event: MessageOf<typeof FEED>, { values }: EventContext<typeof FEED>): Promise<void> {
    if (event.event !== 'flow_completed') throw new Refusal('request.invalid');
    await this.note({ service: values.service, flow_run_id: event.flow_run_id }, 'completed');
  }

  private async note(run: { service: string; flow_run_id: string }, status: `awaiting_${string}` | 'completed'): Promise<void> {
    await this.store.hear(run, status, activeTraceparent());
    this.worker.wake();
  }
}
