import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { CustomerOutbox } from './customer-outbox.service.ts';

/** Sends waiting events to the regions of their companies. */
@Injectable()
export class CustomerOutboxWorker extends PeriodicWorker {
  constructor(
    private readonly outbox: CustomerOutbox,
    private readonly mode: OwnMode,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'customer_event_outbox', everyMs: 1000, failure: 'handing over events for customers failed and is tried again' }, log);
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    await this.outbox.round();
  }
}
