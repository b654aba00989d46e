import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '@cds/runtime/telemetry';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { CustomerOutbox } from './customer-outbox.service.ts';

/** Hands over what waits for companies of other regions. */
@Injectable()
export class CustomerOutboxWorker extends PeriodicWorker {
  constructor(
    private readonly outbox: CustomerOutbox,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'customer_event_outbox', everyMs: 1000, failure: 'handing over events for customers failed and is tried again' }, log);
  }

  async round(): Promise<void> {
    if (this.modes.isPausedHere(this.here)) return;
    while (await this.outbox.handOver());
    await this.outbox.giveUpOld();
  }
}
